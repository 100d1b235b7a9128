import type { FastifyInstance } from "fastify";
import { type Client, createClient, type Fetch } from "../client.ts";
import type { ReadPosition } from "../read-position.ts";
import { checkAnswer } from "./check-answer.ts";

/** `fetch` that checks successful answers against the schemas of their routes. */
export const checkedFetch: Fetch = async (url, init) => {
  const answer = await fetch(url, init);
  const bytes = await answer.arrayBuffer();
  const text = Buffer.from(bytes).toString("utf8");
  const contentType = answer.headers.get("content-type") ?? undefined;
  // After a redirect, the answer belongs to its target.
  const { pathname, search } = new URL(answer.url);
  checkAnswer(init.method, pathname + search, { status: answer.status, contentType, body: text });
  return {
    status: answer.status,
    headers: answer.headers,
    text: async () => text,
    arrayBuffer: async () => bytes,
  };
};

/** Creates a client of a server that does not listen, such as `testServer` makes. */
export function serverClient(
  server: FastifyInstance,
  apiKey?: string,
  position?: ReadPosition | undefined,
): Client {
  const fetch: Fetch = async (url, { method, headers, body }) => {
    const answer = await server.inject({
      // The client sends only methods of routes, which the server knows.
      method: method as "GET" | "POST" | "DELETE",
      url: url.slice("http://node".length),
      headers,
      ...(body === undefined ? {} : { payload: body }),
    });
    return {
      status: answer.statusCode,
      headers: { get: (name) => String(answer.headers[name] ?? "") },
      text: async () => answer.body,
      // Copies, because a Node.js buffer can be part of a larger one.
      arrayBuffer: async () => new Uint8Array(answer.rawPayload).buffer,
    };
  };
  return createClient({ url: "http://node", fetch, apiKey, position });
}
