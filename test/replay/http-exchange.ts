/** One request over a real socket, sent exactly as it is recorded. */
import { Agent, request as httpRequest } from "node:http";
import { checkAnswer } from "../../src/client/testing/check-answer.ts";

export interface ExactRequest {
  readonly method: string;
  /** Includes the query; percent-encoding as recorded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | undefined;
}

export interface ExactAnswer {
  readonly status: number;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Uint8Array;
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 });

/**
 * Sends a request and checks a successful answer against the schema of its route.
 * @param prefix prefix of all paths of the node
 * @throws Error if the connection breaks before the answer is complete, or if the answer violates the schema
 */
export function exchange(url: string, request: ExactRequest, prefix = ""): Promise<ExactAnswer> {
  const { hostname, port } = new URL(url);
  const length = request.body === undefined ? {} : { "Content-Length": String(request.body.length) };
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(
      {
        hostname,
        port,
        agent,
        method: request.method,
        path: request.path,
        headers: { ...length, ...request.headers },
      },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
        incoming.on("error", reject);
        incoming.on("end", () => {
          const body = Buffer.concat(chunks);
          const status = incoming.statusCode ?? 0;
          const seen = { status, contentType: incoming.headers["content-type"], body: body.toString("utf8") };
          try {
            checkAnswer(request.method, request.path.replace(prefix, "") || "/", seen);
            resolve({ status, headers: incoming.headers, body: new Uint8Array(body) });
          } catch (error) {
            reject(error);
          }
        });
      },
    );
    outgoing.on("error", reject);
    outgoing.end(request.body);
  });
}
