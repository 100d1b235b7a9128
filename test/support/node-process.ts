/** A whole node as a child process, as an operator runs it: compiled code, real clock, real files, a free port. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Client, createClient, FailedRequestError } from "../../src/client/client.ts";
import { checkAnswer } from "../../src/client/testing/check-answer.ts";
import { checkedFetch } from "../../src/client/testing/checked-fetch.ts";

/** The compiled command line. */
export const cliPath = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));

export interface NodeProcess {
  /** `http://127.0.0.1:<port>` of the REST API. */
  readonly url: string;
  readonly dataDir: string;
  readonly pid: number;
  /** All output of the node so far, standard output and error together. */
  output(): string;
  hasEnded(): boolean;
  /** Sends SIGTERM, like a service manager. Returns the exit code. */
  stop(): Promise<number | null>;
  /** Sends SIGKILL: the node cannot finish anything. */
  kill(): Promise<void>;
  /** Calls routes by their definitions. For rejections and special formats use the two functions below. */
  readonly client: Client;
  get(path: string, headers?: Record<string, string>): Promise<JsonAnswer>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<JsonAnswer>;
}

export interface JsonAnswer {
  readonly status: number;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers are compared member by member, their shape is what is tested
  readonly json: any;
}

export function temporaryFolder(name: string): string {
  return mkdtempSync(join(tmpdir(), `holdfast-${name}-`));
}

export function removeFolder(path: string): void {
  rmSync(path, { recursive: true, force: true });
}

/**
 * Returns a command line that runs another one with a limit of file handles; without a limit, the same command line.
 */
function limited(handles: number | undefined, command: readonly string[]): [string, string[]] {
  const [program, ...args] = command;
  if (handles === undefined) return [program, args];
  return ["bash", ["-c", `ulimit -n ${handles}; exec "$@"`, "bash", program, ...args]];
}

/** Runs `holdfast` with these arguments until it ends. @param handles limit of file handles; by default none */
export async function runCli(
  args: readonly string[],
  env: Record<string, string> = {},
  handles?: number,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const command = limited(handles, [process.execPath, cliPath, ...args]);
  const child = spawn(...command, { env: { ...cleanEnvironment(), ...env } });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, stdout, stderr };
}

/** The caller's environment without settings of a node and variables of npm: a test sets all of them itself. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(HOLDFAST|CHAIN|LTO|npm)_/.test(name)),
  );
}

/**
 * Starts a node and waits until its API answers.
 * @throws Error with the node's output if it ends before that
 */
export async function startNodeProcess(options: {
  dataDir: string;
  /** Default: `start`. */
  command?: "start" | "gateway";
  args?: readonly string[];
  env?: Record<string, string>;
  /** Command line to use instead of the compiled one. */
  cli?: string;
  /** Limit of the process's file handles; by default none. */
  handles?: number;
}): Promise<NodeProcess> {
  const { command: name = "start" } = options;
  const args = [name, "--data-dir", options.dataDir, "--api-port", "0", ...(options.args ?? [])];
  const command = limited(options.handles, [process.execPath, options.cli ?? cliPath, ...args]);
  const child: ChildProcess = spawn(...command, {
    env: { ...cleanEnvironment(), ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  let ended = false;
  const exit = new Promise<number | null>((resolve) => {
    child.on("close", (code) => {
      ended = true;
      resolve(code);
    });
  });
  const url = await new Promise<string>((resolve, reject) => {
    const listen = (chunk: Buffer) => {
      output += chunk;
      // The URL of the port for key routes, if any, is logged before.
      const match = /HTTP interface at (http:\/\/127\.0\.0\.1:\d+)/.exec(output);
      if (match) resolve(match[1]);
    };
    child.stdout?.on("data", listen);
    child.stderr?.on("data", listen);
    exit.then((code) => reject(new Error(`The node ended with code ${code}:\n${output}`)));
  });

  const request = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ) => {
    const response = await fetch(url + path, {
      method,
      headers: body === undefined ? headers : { "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const contentType = response.headers.get("content-type") ?? undefined;
    checkAnswer(method, path, { status: response.status, contentType, body: text });
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch {
      json = undefined;
    }
    return { status: response.status, text, json };
  };

  return {
    url,
    dataDir: options.dataDir,
    // It has printed its address.
    pid: child.pid ?? 0,
    client: createClient({ url, fetch: checkedFetch }),
    output: () => output,
    hasEnded: () => ended,
    stop: async () => {
      if (!ended) child.kill("SIGTERM");
      return exit;
    },
    kill: async () => {
      if (!ended) child.kill("SIGKILL");
      await exit;
    },
    get: (path, headers) => request("GET", path, undefined, headers),
    post: (path, body, headers) => request("POST", path, body, headers),
  };
}

/**
 * Polls until the answer matches, for at most `seconds`: longer than anything takes on a busy machine. The node under
 * test runs on the real clock.
 */
export async function until<T>(what: string, ask: () => Promise<T | undefined>, seconds = 150): Promise<T> {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() > end) throw new Error(`Timeout after ${seconds} s: ${what}`);
    await delay(50);
  }
}

/** The answer of `/transactions/info` for a transaction; undefined if it is in no block. */
export async function transactionInfo({ client }: NodeProcess, id: string) {
  try {
    return await client.call("GET /transactions/info/:id", { params: { id } });
  } catch (error) {
    if (error instanceof FailedRequestError && error.status === 404) return undefined;
    throw error;
  }
}

/** Waits until a transaction is in a block. Returns the answer of `/transactions/info`. */
export async function confirmed(node: NodeProcess, id: string) {
  return until(`transaction ${id} in a block`, () => transactionInfo(node, id));
}

/** The height that the node reports. */
export async function heightOf({ client }: NodeProcess): Promise<number> {
  return (await client.call("GET /blocks/height")).height;
}
