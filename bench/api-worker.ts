/** The least that Fastify does: one route, one constant. */
import type { AddressInfo } from "node:net";
import { parentPort } from "node:worker_threads";
import Fastify from "fastify";

const server = Fastify();
server.get("/", () => ({ height: 12_345 }));
await server.listen({ host: "127.0.0.1", port: 0 });
// It listens on an IP address, not on a pipe.
parentPort?.postMessage((server.server.address() as AddressInfo).port);
