import type { Static, TSchema } from "typebox";
import { Value } from "typebox/value";
import { isLoopback } from "../../bytes/ip.ts";
import { type JsonOut, printJson } from "../../bytes/json.ts";
import { InvalidAnswerError, limitedFetch, NoAnswerError, parseAnswer } from "../../client/bounded-fetch.ts";
import { type Decoded, membersOf } from "../../client/decode.ts";
import { CommandError, ExitCode, failure, UsageError } from "../exit-codes.ts";
import { readInput } from "../input.ts";
import type { Io } from "../io.ts";
import { defaultNodeUrl } from "./local-node.ts";
import { plainText } from "./plain-text.ts";

export interface NodeFlags {
  readonly node?: string;
  readonly apiKey?: string;
  readonly apiKeyFile?: string;
  /** Seconds. */
  readonly timeout: number;
}

/** The longest answer lists 1000 bans. */
const MAX_ANSWER_BYTES = 8_388_608;
const MAX_KEY_FILE_BYTES = 65_536;
/** Prefixes of environment variables, strongest first. */
const VARIABLE_PREFIXES = ["HOLDFAST", "LTO", "CHAIN"];

/** The node answered with a status other than 200. */
export class RefusedRequestError extends CommandError {
  readonly status: number;
  constructor(code: ExitCode, status: number, message: string) {
    super(code, message);
    this.status = status;
  }
}

interface NodeRequest {
  readonly method?: "GET" | "POST" | "PUT";
  readonly body?: JsonOut;
  readonly sendsKey?: true;
}

function readKeyFile(path: string): string {
  return readInput(path, MAX_KEY_FILE_BYTES).split(/\r?\n/, 1)[0];
}

function givenKey({ apiKey, apiKeyFile }: NodeFlags, environment: NodeJS.ProcessEnv): string | undefined {
  if (apiKey !== undefined && apiKeyFile !== undefined)
    throw new UsageError("Give only one of --api-key and --api-key-file");
  if (apiKey !== undefined) return apiKey;
  if (apiKeyFile !== undefined) return readKeyFile(apiKeyFile);
  for (const prefix of VARIABLE_PREFIXES) {
    const key = environment[`${prefix}_API_KEY`];
    if (key !== undefined && key !== "") return key;
    const file = environment[`${prefix}_API_KEY_FILE`];
    if (file !== undefined && file !== "") return readKeyFile(file);
  }
  return undefined;
}

function apiKeyOf(flags: NodeFlags, environment: NodeJS.ProcessEnv): string | undefined {
  const key = givenKey(flags, environment);
  // `fetch` would quote an invalid key in its error.
  if (key !== undefined && !/^[!-~]([ -~]{0,998}[!-~])?$/.test(key))
    throw new UsageError("The API key must consist of 1 to 1000 printable ASCII characters");
  return key;
}

function isUnencrypted(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === "http:" && !isLoopback(hostname.replace(/^\[|\]$/g, ""));
}

function messageOf(answer: Uint8Array): string {
  try {
    const { message, error } = membersOf(parseAnswer(answer));
    return plainText(String(message ?? error ?? ""));
  } catch (error) {
    if (error instanceof InvalidAnswerError) return "";
    throw error;
  }
}

/** Failed calls throw CommandError with the URL of the node. */
export class NodeConnection {
  /** Without a trailing slash. */
  readonly url: string;
  readonly #fetch: ReturnType<typeof limitedFetch>;
  readonly #apiKey: string | undefined;
  readonly #io: Io;
  #warned = false;

  constructor(
    url: string,
    { io, timeoutMs, apiKey }: { io: Io; timeoutMs: number; apiKey?: string | undefined },
  ) {
    this.url = url.replace(/\/+$/, "");
    this.#io = io;
    this.#apiKey = apiKey;
    const options = {
      fetch: (target: string, init: RequestInit) => fetch(target, init),
      after: (delayMs: number, task: () => void) => io.clock.after(delayMs, task),
      timeoutMs,
    };
    this.#fetch = limitedFetch(options, MAX_ANSWER_BYTES);
  }

  get hasKey(): boolean {
    return this.#apiKey !== undefined;
  }

  /** @throws RefusedRequestError for a status other than 200; CommandError for no answer or an invalid one */
  async call<Schema extends TSchema>(
    path: string,
    schema: Schema,
    request: NodeRequest = {},
  ): Promise<Static<Schema>> {
    const { status, bytes } = await this.#exchange(path, request);
    if (status !== 200) throw this.#refusal(path, status, bytes);
    const answer = this.#parse(bytes);
    if (Value.Check(schema, answer)) return answer as Static<Schema>;
    throw failure(`${this.url}: the answer to ${path} has an unexpected form. Check --node`);
  }

  #parse(bytes: Uint8Array): Decoded {
    try {
      return parseAnswer(bytes);
    } catch (error) {
      if (error instanceof InvalidAnswerError) throw failure(`${this.url}: ${error.message}`);
      throw error;
    }
  }

  async #exchange(path: string, { method = "GET", body, sendsKey }: NodeRequest) {
    if (sendsKey === true && this.#apiKey !== undefined) this.#warnIfUnencrypted();
    const headers: Record<string, string> = {
      accept: "application/json",
      ...(sendsKey === true && this.#apiKey !== undefined && { "x-api-key": this.#apiKey }),
      ...(body !== undefined && { "content-type": "application/json" }),
    };
    try {
      const answer = await this.#fetch(`${this.url}${path}`, {
        method,
        headers,
        ...(body !== undefined && { body: printJson(body) }),
      });
      return { status: answer.status, bytes: new Uint8Array(await answer.arrayBuffer()) };
    } catch (error) {
      if (error instanceof NoAnswerError)
        throw new CommandError(
          ExitCode.unreachable,
          `${this.url} does not respond: ${plainText(error.message)}`,
        );
      if (error instanceof InvalidAnswerError) throw failure(`${this.url}: ${error.message}`);
      throw error;
    }
  }

  #warnIfUnencrypted(): void {
    if (this.#warned || !isUnencrypted(this.url)) return;
    this.#warned = true;
    this.#io.err(`Warning: the API key is sent to ${this.url} without encryption: use https\n`);
  }

  #refusal(path: string, status: number, bytes: Uint8Array): RefusedRequestError {
    const message = messageOf(bytes);
    const text = `${this.url} refused ${path} (${status})${message === "" ? "" : `: ${message}`}`;
    if (status === 404)
      return new RefusedRequestError(
        ExitCode.failed,
        status,
        `${text}. Check --node: the URL must contain the path of --api-prefix and, for key routes, the port of --admin-port`,
      );
    if (status === 400) return new RefusedRequestError(ExitCode.usage, status, text);
    if (status !== 401 && status !== 403) return new RefusedRequestError(ExitCode.failed, status, text);
    const hint = this.hasKey
      ? "Check the API key"
      : "Give the API key of the node with --api-key-file, --api-key or HOLDFAST_API_KEY";
    return new RefusedRequestError(ExitCode.usage, status, `${text}. ${hint}`);
  }
}

/** @throws UsageError, CommandError */
export async function connectNode(flags: NodeFlags, io: Io): Promise<NodeConnection> {
  const apiKey = apiKeyOf(flags, io.environment);
  return new NodeConnection(flags.node ?? (await defaultNodeUrl()), {
    io,
    timeoutMs: 1_000 * flags.timeout,
    apiKey,
  });
}
