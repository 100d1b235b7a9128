/** A node's API with given answers, and the command line without a system. */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { systemClock } from "../../runtime/system.ts";
import type { Io } from "../io.ts";
import { run } from "../program.ts";

interface FakeRequest {
  readonly line: string;
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
}

/** An answer as JSON, or a function that computes it; a number is a status with an empty object. */
export type FakeAnswers = Readonly<Record<string, unknown>>;

/** Serves `answers` by method and path, such as `GET /node/health`; other requests get status 404. */
export async function fakeNode(answers: FakeAnswers) {
  const requests: FakeRequest[] = [];
  const server = createServer((request, response) => {
    const line = `${request.method} ${request.url}`;
    let body = "";
    request.on("data", (part) => {
      body += part;
    });
    request.on("end", () => {
      requests.push({ line, body, headers: request.headers });
      const entry = Object.hasOwn(answers, line) ? answers[line] : 404;
      const answer = typeof entry === "function" ? entry() : entry;
      const status = typeof answer === "number" ? answer : 200;
      response.writeHead(status, { "content-type": "application/json" });
      response.end(status === 200 ? JSON.stringify(answer) : '{"error":1,"message":"no\\u001b[31m key"}');
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A TCP server that listens has a port.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A system in which no command can do anything. */
export function idleIo(): Io {
  const never = () => Promise.reject(new Error("no node is needed"));
  return {
    out: () => {},
    err: () => {},
    environment: {},
    onSignal: () => () => {},
    onHangup: () => () => {},
    onOrphaned: () => () => {},
    clock: systemClock,
    isRunning: () => false,
    spawn: () => {
      throw new Error("nothing is started here");
    },
    exit: () => {},
    startNode: never,
    lockDataDir: never,
  };
}

/** Runs a command with the given parts of the system. */
export async function runCommand(
  args: readonly string[],
  changes: Partial<Io> = {},
): Promise<{ code: number; out: string; err: string }> {
  let out = "";
  let err = "";
  const code = await run(args, {
    ...idleIo(),
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    ...changes,
  });
  return { code, out, err };
}
