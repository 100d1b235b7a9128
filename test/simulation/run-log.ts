/** The log of a run, one line per event with its virtual time. The same seed writes the same bytes. */
import { createHash } from "node:crypto";
import { encodeBase58 } from "../../src/bytes/base58.ts";
import type { Clock, Log } from "../../src/interfaces.ts";

/** Number of characters that distinguish an id. */
const SHORT = 8;

/** Shortens an id for readers. */
export function shortId(id: Uint8Array): string {
  return encodeBase58(id).slice(0, SHORT);
}

function factText(value: unknown): string {
  if (value instanceof Uint8Array) return shortId(value);
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (typeof value === "string") return value;
  return JSON.stringify(value, (_, inner) => (typeof inner === "bigint" ? `${inner}` : inner)) ?? "undefined";
}

export class RunLog {
  readonly #hash = createHash("sha256");
  readonly #begin: number;
  #isClosed = false;

  /** @param onLine called with each line, if a user wants to read the log */
  constructor(
    private readonly clock: Clock,
    private readonly onLine: (line: string) => void = () => {},
  ) {
    this.#begin = clock.monotonic();
  }

  /** @param machine name of the machine, or "world" */
  write(machine: string, message: string): void {
    if (this.#isClosed) return;
    const seconds = ((this.clock.monotonic() - this.#begin) / 1_000).toFixed(3);
    const line = `${seconds.padStart(9)} ${machine.padEnd(10)} ${message}`;
    this.#hash.update(line).update("\n");
    this.onLine(line);
  }

  /** Returns SHA-256 of all lines in hexadecimal, and closes the log. */
  digest(): string {
    this.#isClosed = true;
    return this.#hash.digest("hex");
  }

  /** Returns a node's logger that writes to this log. @param onError called with each error */
  loggerFor(machine: string, onError: (message: string) => void): Log {
    const writeLevel = (level: string, message: string, facts: Record<string, unknown> = {}): string => {
      const texts = Object.entries(facts).map(([name, value]) => ` ${name}=${factText(value)}`);
      const text = `${message}${texts.join("")}`;
      this.write(machine, `${level} ${text}`);
      return text;
    };
    return {
      debug: (message, facts) => void writeLevel("debug", message, facts),
      info: (message, facts) => void writeLevel("info", message, facts),
      warn: (message, facts) => void writeLevel("warn", message, facts),
      error: (message, facts) => onError(writeLevel("ERROR", message, facts)),
    };
  }
}
