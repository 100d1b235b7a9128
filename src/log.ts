/** The log: one JSON object per line, or readable text. Hides secrets. */
import pino from "pino";
import { encodeBase58 } from "./bytes/base58.ts";
import type { Log } from "./interfaces.ts";
import type { LogFile } from "./runtime/logging/log-file.ts";
import type { LogLevels } from "./runtime/logging/log-levels.ts";
import { logWithAreas } from "./runtime/logging/log-with-areas.ts";
import { standardOutput } from "./runtime/logging/standard-output.ts";

export interface LogOptions {
  readonly levels: LogLevels;
  /** `auto`: text on a terminal, JSON in a file or pipe. */
  readonly format: "auto" | "json" | "text";
  /** Log file. If set, standard output receives lines only on a terminal. */
  readonly file?: LogFile | undefined;
  /** Writes whole lines. Default: writes to `fd`. */
  readonly write?: ((line: string) => void) | undefined;
  /** File descriptor. Default: standard output. */
  readonly fd?: number | undefined;
  /** Default: detected for standard output. */
  readonly terminal?: boolean | undefined;
}

/** Members whose values are hidden, at the top level and one level below. */
const SECRET_NAMES = [
  "seed",
  "walletSeed",
  "walletSeedBase58",
  "walletAccountSeed",
  "accountSeed",
  "accountSeeds",
  "password",
  "walletPassword",
  "apiKey",
  "authToken",
  "token",
  "privateKey",
  "authorization",
  "x-api-key",
];

const HIDDEN = "(hidden)";

function loggableValue(value: unknown): unknown {
  if (value instanceof Uint8Array) return encodeBase58(value);
  if (value instanceof Error) return { name: value.name, message: value.message, stack: value.stack };
  return value;
}

function loggableFields(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, loggableValue(value)]));
}

const COLORS: { readonly [level: string]: string } = { warn: "\x1b[33m", error: "\x1b[31m" };
const DIM = "\x1b[2m";
const RESET = "\x1b[0m";

/** Escapes characters that could move the cursor, fake a line, or reverse text. */
function escapeControls(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => {
    const escaped = JSON.stringify(character).slice(1, -1);
    return escaped === character ? unicodeEscapes(character) : escaped;
  });
}

function unicodeEscapes(text: string): string {
  return Array.from(
    { length: text.length },
    (_, i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, "0")}`,
  ).join("");
}

function valueText(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return escapeControls(typeof value === "string" && /[\s"=]/.test(value) ? JSON.stringify(text) : text);
}

function textLine(json: string, colored: boolean): string {
  const { time, level, msg, ...rest } = JSON.parse(json) as Record<string, unknown>;
  const name = String(level);
  const color = colored ? (COLORS[name] ?? "") : "";
  const dim = colored ? DIM : "";
  const reset = colored ? RESET : "";
  const { stack, ...errorWithoutStack } =
    rest.error instanceof Object ? (rest.error as Record<string, unknown>) : {};
  const members = Object.entries(
    "error" in rest && rest.error instanceof Object ? { ...rest, error: errorWithoutStack } : rest,
  )
    .map(([key, value]) => ` ${dim}${escapeControls(key)}=${reset}${valueText(value)}`)
    .join("");
  const trace = typeof stack === "string" ? `\n${stack.replace(/[^\n\P{Cc}]/gu, " ")}` : "";
  const clock = String(time).replace("T", " ");
  return `${dim}${clock}${reset} ${color}${name.toUpperCase().padEnd(5)}${reset} ${escapeControls(String(msg))}${members}${trace}\n`;
}

function outputWriter({ format, file, write, fd, terminal }: LogOptions): (json: string) => void {
  const isTerminal = terminal ?? process.stdout.isTTY === true;
  const colored = isTerminal && process.env.NO_COLOR === undefined;
  const toFile =
    file && format === "text" ? (json: string) => file.write(textLine(json, false)) : file?.write.bind(file);
  if (toFile !== undefined && !isTerminal) return toFile;
  const output = write ?? standardOutput(fd);
  const toOutput =
    format === "text" || (format === "auto" && isTerminal)
      ? (json: string) => output(textLine(json, colored))
      : output;
  if (toFile === undefined) return toOutput;
  return (json) => {
    toFile(json);
    toOutput(json);
  };
}

export function createLog(options: LogOptions): Log {
  const logger = pino(
    {
      level: "trace",
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: SECRET_NAMES.flatMap((name) => [`["${name}"]`, `*["${name}"]`]),
        censor: HIDDEN,
      },
      // `loggableFields` has converted the values; by default, pino would serialize `err` again.
      serializers: {},
    },
    { write: outputWriter(options) },
  );
  return logWithAreas(options.levels, (area, level, message, fields) => {
    if (area !== "node") logger[level]({ area, ...(fields && loggableFields(fields)) }, message);
    else if (fields === undefined) logger[level](message);
    else logger[level](loggableFields(fields), message);
  });
}
