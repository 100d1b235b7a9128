/** Supports `npm start`, `npm run holdfast` and `npx holdfast`. */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Command, Option } from "commander";
import { systemClock } from "../runtime/system.ts";
import type { RemoveListener } from "./io.ts";
import { shellWord } from "./shell-word.ts";

/** What the user typed, by npm event. */
const COMMANDS_BY_EVENT: Readonly<Record<string, string>> = {
  start: "npm start --",
  holdfast: "npm run holdfast --",
  npx: "npx holdfast",
};

/** The npm script, or `npx`; undefined if npm did not start this process. */
function npmEvent(environment: NodeJS.ProcessEnv): string | undefined {
  const { npm_lifecycle_event: event = "", npm_package_name: name } = environment;
  return Object.hasOwn(COMMANDS_BY_EVENT, event) && (event === "npx" || name === "holdfast")
    ? event
    : undefined;
}

/** The environment for a process that outlives npm. */
export function withoutNpm(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { npm_lifecycle_event: _, ...rest } = environment;
  return rest;
}

const POLL_INTERVAL_MS = 500;
/** Npm ends within this time after its terminal is closed (SIGHUP), ms. */
const HANGUP_TIMEOUT_MS = 5_000;

/** Calls `listener` once when npm ends, unless its terminal was closed. */
export function onNpmEnded(environment: NodeJS.ProcessEnv, listener: () => void): RemoveListener {
  if (npmEvent(environment) === undefined) return () => {};
  const parent = process.ppid;
  let hungUpAt = Number.NEGATIVE_INFINITY;
  const onHangup = (): void => {
    hungUpAt = systemClock.monotonic();
  };
  process.on("SIGHUP", onHangup);
  const stop = (): void => {
    clearInterval(timer);
    process.off("SIGHUP", onHangup);
  };
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    stop();
    if (systemClock.monotonic() - hungUpAt > HANGUP_TIMEOUT_MS) listener();
  }, POLL_INTERVAL_MS);
  timer.unref();
  return stop;
}

/** Npm also has these flags, so their `npm_config_` variables may be its own. */
const NPM_FLAGS = new Set(["--yes", "--force"]);

/** Larger configuration files are ignored. */
const MAX_NPM_FILE_BYTES = 2 ** 20;
/** `name = value`, `name[] = value`, or a name alone. */
const NPM_FILE_LINE = /^\s*([^\s;#=[\]]+)(?:\[\])?\s*(?:=|$)/;

const variableOf = (name: string): string => `npm_config_${name.toLowerCase().replaceAll("-", "_")}`;

function variablesOfNpmFiles(environment: NodeJS.ProcessEnv): ReadonlySet<string> {
  const { npm_config_userconfig, npm_config_globalconfig, npm_config_local_prefix, INIT_CWD } = environment;
  const projects = [npm_config_local_prefix, INIT_CWD].map((folder) => folder && join(folder, ".npmrc"));
  const found = new Set<string>();
  for (const path of [npm_config_userconfig, npm_config_globalconfig, ...projects])
    for (const line of linesOf(path)) {
      const name = NPM_FILE_LINE.exec(line)?.[1];
      if (name !== undefined) found.add(variableOf(name));
    }
  return found;
}

function linesOf(path: string | undefined): readonly string[] {
  if (!path) return [];
  try {
    const stats = statSync(path);
    return stats.isFile() && stats.size <= MAX_NPM_FILE_BYTES
      ? readFileSync(path, "utf8").split(/\r?\n/)
      : [];
  } catch {
    return [];
  }
}

const SECRET = /password|seed|key|token/;

/**
 * Detects flags before `--`, which npm treats as its own settings.
 * @returns a message; undefined if npm kept no flag
 */
export function flagsKeptByNpm(
  program: Command,
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
): string | undefined {
  const event = npmEvent(environment);
  if (event === undefined) return undefined;
  let command = program;
  const words = [...args];
  while (words.length > 0) {
    const next = command.commands.find((one) => one.name() === words[0]);
    if (next === undefined) break;
    command = next;
    words.shift();
  }
  const candidates = command.options.flatMap((option) => {
    const value = keptValue(option, environment);
    return value === undefined || isTyped(option, words) ? [] : [{ option, value }];
  });
  if (candidates.length === 0) return undefined;
  const files = variablesOfNpmFiles(environment);
  const keptByNpm = candidates.filter(({ option }) => !files.has(npmVariable(option)));
  if (keptByNpm.length === 0) return undefined;
  // Npm sets an unknown flag to "true", and passes its value on as an argument.
  const withoutValue = keptByNpm.filter(({ option, value }) => option.required && value === "true");
  const isValueFound =
    withoutValue.length === 1 && words.length === 1 && command.registeredArguments.length === 0;
  const value = isValueFound ? words.pop() : undefined;
  const flags = keptByNpm.map(({ option, value: given }) =>
    flagAsTyped(option, withoutValue.some((one) => one.option === option) ? value : given),
  );
  const path = args.slice(event === "start" ? 1 : 0, args.length - words.length - (isValueFound ? 1 : 0));
  const names = keptByNpm.map(({ option }) => option.long).join(", ");
  return (
    `npm did not pass on ${names}, so nothing was done. Type:\n` +
    `  ${[COMMANDS_BY_EVENT[event], ...path, ...words.map(shellWord), ...flags].join(" ")}\n`
  );
}

function isTyped({ long, short }: Option, words: readonly string[]): boolean {
  return words.some((word) => word === short || word === long || word.startsWith(`${long}=`));
}

function npmVariable({ long = "" }: Option): string {
  return variableOf(long.replace(/^--(no-)?/, ""));
}

/** Returns the value of npm's variable, which is "" for `--no-x`. */
function keptValue(option: Option, environment: NodeJS.ProcessEnv): string | undefined {
  const { long, negate } = option;
  if (typeof long !== "string" || NPM_FLAGS.has(long)) return undefined;
  const value = environment[npmVariable(option)];
  return value === undefined || negate !== (value === "") ? undefined : value;
}

function flagAsTyped({ flags, long, required }: Option, value: string | undefined): string {
  if (!required) return long ?? flags;
  return value === undefined || SECRET.test(flags) ? flags : `${long} ${shellWord(value)}`;
}
