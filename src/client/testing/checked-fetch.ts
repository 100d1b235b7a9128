/** Ways to reach a node for the client of a test. */
import type { FastifyInstance } from "fastify";
import { type Client, createClient, type Fetch } from "../client.ts";
import { checkAnswer } from "./check-answer.ts";

/** `fetch` whose successful answers are held to the schemas of their routes. */
export const checkedFetch: Fetch = async (url, init) => {
  const answer = await fetch(url, init);
  const bytes = await answer.arrayBuffer();
  const text = Buffer.from(bytes).toString("utf8");
  const contentType = answer.headers.get("content-type") ?? undefined;
  // Where the route led elsewhere, it is the answer from there.
  const { pathname, search } = new URL(answer.url);
  checkAnswer(init.method, pathname + search, { status: answer.status, contentType, body: text });
  return {
    status: answer.status,
    headers: answer.headers,
    text: async () => text,
    arrayBuffer: async () => bytes,
  };
};

/** A client of a server that does not listen, such as `testServer` makes. */
export function serverClient(server: FastifyInstance, apiKey?: string): Client {
  const fetch: Fetch = async (url, { method, headers, body }) => {
    const answer = await server.inject({
      // Only methods of routes come here, which are those that the server knows.
      method: method as "GET" | "POST" | "DELETE",
      url: url.slice("http://node".length),
      headers,
      ...(body === undefined ? {} : { payload: body }),
    });
    return {
      status: answer.statusCode,
      headers: { get: (name) => String(answer.headers[name] ?? "") },
      text: async () => answer.body,
      // A copy, since a buffer of Node may stand in a larger one.
      arrayBuffer: async () => new Uint8Array(answer.rawPayload).buffer,
    };
  };
  return createClient({ url: "http://node", fetch, apiKey });
}
