import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";
import { cannotRead } from "../exit-codes.ts";
import type { Io } from "../io.ts";
import { repeatUntilStopped } from "../stopping.ts";
import { logFile, nodeNumber, requireNetwork } from "./network-directory.ts";

const MAX_READ_BYTES = 1_048_576;
/** Characters; longer lines are divided. */
const MAX_LINE_LENGTH = 65_536;
const POLL_INTERVAL_MS = 500;

export interface LogsRequest {
  readonly folder: string;
  readonly node: string | undefined;
  readonly lineCount: number;
  readonly follow: boolean;
}

class LogReader {
  readonly #path: string;
  #offset = 0;
  #decoder = new StringDecoder("utf8");
  #partial = "";

  constructor(path: string) {
    this.#path = path;
  }

  /** The newest lines: at most `count` and 1 MiB. */
  readLast(count: number): string[] {
    const size = this.#readFile((descriptor) => fstatSync(descriptor).size) ?? 0;
    this.#offset = Math.max(0, size - MAX_READ_BYTES);
    const isCut = this.#offset > 0;
    const lines = this.readNew();
    const whole = isCut ? lines.slice(1) : lines;
    return whole.slice(Math.max(0, whole.length - count));
  }

  /** Complete lines since the last call, at most 1 MiB. */
  readNew(): string[] {
    const bytes = this.#readFile((descriptor) => {
      // The log was replaced or emptied.
      if (fstatSync(descriptor).size < this.#offset) this.#restart();
      const buffer = Buffer.allocUnsafe(MAX_READ_BYTES);
      return buffer.subarray(0, readSync(descriptor, buffer, 0, buffer.length, this.#offset));
    });
    if (bytes === undefined) return [];
    this.#offset += bytes.length;
    const lines = (this.#partial + this.#decoder.write(bytes)).split("\n");
    this.#partial = lines.pop() ?? "";
    if (this.#partial.length > MAX_LINE_LENGTH) {
      lines.push(this.#partial);
      this.#partial = "";
    }
    return lines;
  }

  #restart(): void {
    this.#offset = 0;
    this.#decoder = new StringDecoder("utf8");
    this.#partial = "";
  }

  #readFile<T>(read: (descriptor: number) => T): T | undefined {
    if (!existsSync(this.#path)) return undefined;
    let descriptor: number | undefined;
    try {
      descriptor = openSync(this.#path, "r");
      return read(descriptor);
    } catch (error) {
      throw cannotRead(this.#path, error);
    } finally {
      if (descriptor !== undefined) closeSync(descriptor);
    }
  }
}

interface LogLine {
  readonly time: string;
  readonly text: string;
}

/** A line without a time stays after the line before it. */
function mergeByTime(logs: readonly (readonly string[])[], prefixes: readonly string[]): string[] {
  const lines = logs.flatMap((log, i) => {
    let time = "";
    return log.map((line): LogLine => {
      time = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}Z/.exec(line)?.[0] ?? time;
      return { time, text: `${prefixes[i]}${line}` };
    });
  });
  return lines.sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0)).map(({ text }) => text);
}

/** @throws UsageError if there is no such network or node; CommandError */
export async function networkLogs({ folder, node, lineCount, follow }: LogsRequest, io: Io): Promise<void> {
  const network = requireNetwork(folder);
  const numbers = node === undefined ? network.nodes.map((_, i) => i + 1) : [nodeNumber(node, network)];
  const readers = numbers.map((number) => new LogReader(logFile(folder, number)));
  const prefixes = numbers.map((number) => (node === undefined ? `node-${number} | ` : ""));
  const print = (logs: readonly (readonly string[])[]): void => {
    for (const line of mergeByTime(logs, prefixes)) io.out(`${line}\n`);
  };
  print(readers.map((reader) => reader.readLast(lineCount)));
  if (follow)
    await repeatUntilStopped(io, POLL_INTERVAL_MS, () => print(readers.map((reader) => reader.readNew())));
}
