/** The least that Fastify does, as a process of its own: one route, one constant. */
import type { AddressInfo } from "node:net";
import Fastify from "fastify";

const server = Fastify();
server.get("/", () => ({ height: 12_345 }));
await server.listen({ host: "127.0.0.1", port: 0 });
// It listens on an IP address, not on a pipe.
console.log(`http://127.0.0.1:${(server.server.address() as AddressInfo).port}`);
