/**
 * The least that Fastify does, as a process of its own: the routes of the benchmark, each of which answers from memory
 * with the bytes that the node answered. Argument: a file with paths of routes, and the answers by URL.
 */
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import Fastify from "fastify";

/** What is to be served. */
export interface BareAnswers {
  readonly routes: readonly string[];
  /** By URL, the query included. */
  readonly answers: Readonly<Record<string, { readonly type: string; readonly body: string }>>;
}

// Written by the benchmark that starts this process.
const { routes, answers } = JSON.parse(readFileSync(process.argv[2] as string, "utf8")) as BareAnswers;
/** What is sent faster as bytes is bytes: text is encoded anew each time. */
const LONG_TEXT = 16_384;
const known = new Map(
  Object.entries(answers).map(([url, { type, body }]) => {
    return [url, { type, body: body.length > LONG_TEXT ? Buffer.from(body) : body }] as const;
  }),
);
// As long as the parameters of the node.
const server = Fastify({ routerOptions: { maxParamLength: 2_048 } });
for (const route of routes) {
  server.get(route, (request, reply) => {
    const answer = known.get(request.url);
    if (answer === undefined) return reply.code(404).send();
    return reply.header("content-type", answer.type).send(answer.body);
  });
}
await server.listen({ host: "127.0.0.1", port: 0 });
// It listens on an IP address, not on a pipe.
console.log(`http://127.0.0.1:${(server.server.address() as AddressInfo).port}`);
