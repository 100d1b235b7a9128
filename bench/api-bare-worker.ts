/**
 * Bare Fastify server in its own process: it has the benchmark's routes and answers each from memory with the bytes
 * that the node returned. Argument: a file with the paths of the routes and the answers by URL.
 */
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import Fastify from "fastify";

/** The file's content. */
export interface BareAnswers {
  readonly routes: readonly string[];
  /** By URL, including the query. */
  readonly answers: Readonly<Record<string, { readonly type: string; readonly body: string }>>;
}

// The benchmark that starts this process wrote the file.
const { routes, answers } = JSON.parse(readFileSync(process.argv[2] as string, "utf8")) as BareAnswers;
/** A Buffer is sent faster than a string, which Node.js encodes for each response. */
const LONG_TEXT = 16_384;
const known = new Map(
  Object.entries(answers).map(([url, { type, body }]) => {
    return [url, { type, body: body.length > LONG_TEXT ? Buffer.from(body) : body }] as const;
  }),
);
// The same length limit as in the node.
const server = Fastify({ routerOptions: { maxParamLength: 2_048 } });
for (const route of routes) {
  server.get(route, (request, reply) => {
    const answer = known.get(request.url);
    if (answer === undefined) return reply.code(404).send();
    return reply.header("content-type", answer.type).send(answer.body);
  });
}
await server.listen({ host: "127.0.0.1", port: 0 });
// The address is an IP address, not a pipe.
console.log(`http://127.0.0.1:${(server.server.address() as AddressInfo).port}`);
