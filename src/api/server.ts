/**
 * The HTTP server: Fastify around the routes. It knows the node only through `ChainReader` and `NodeControl`.
 */
import Fastify, { type FastifyInstance } from "fastify";
import type { ChainReader, Clock, Log, NodeControl } from "../interfaces.ts";
import type { ApiInfo } from "./info.ts";

/** What the HTTP layer is given. */
export interface ApiOptions {
  readonly reader: ChainReader;
  readonly control: NodeControl;
  readonly info: ApiInfo;
  readonly clock: Clock;
  readonly log: Log;
}

/** A server with all routes; `listen({ host, port })` of the result opens it (port 0: any free one). */
export async function createServer(_options: ApiOptions): Promise<FastifyInstance> {
  const server = Fastify({ logger: false });
  await server.ready();
  return server;
}
