/** What there is to know where npm has started the command line: `npm start`, `npm run holdfast`, `npx holdfast`. */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Command, Option } from "commander";
import { shellWord } from "./shell-word.ts";

/** How a command is typed, by npm's name of what it runs. */
const typed: Readonly<Record<string, string>> = {
  start: "npm start --",
  holdfast: "npm run holdfast --",
  npx: "npx holdfast",
};

/** npm's name of what it runs: a script of this package, or `npx`. @returns undefined when it did not start us */
function npmEvent(environment: NodeJS.ProcessEnv): string | undefined {
  const { npm_lifecycle_event: event = "", npm_package_name: name } = environment;
  return Object.hasOwn(typed, event) && (event === "npx" || name === "holdfast") ? event : undefined;
}

/** Variables for a process that goes on when npm ends. */
export function withoutNpm(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { npm_lifecycle_event: _, ...rest } = environment;
  return rest;
}

/** How often it is looked whether npm is still there, ms. */
const POLL_INTERVAL_MS = 500;

/**
 * Calls back, once, when npm has started this process and is there no more. Between npm and us there may be a shell that
 * hands no signal on: without this a node would go on, and hold its port, behind an npm that was ended.
 * @returns how to look no longer
 */
export function onNpmEnded(environment: NodeJS.ProcessEnv, listener: () => void): () => void {
  if (npmEvent(environment) === undefined) return () => {};
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    listener();
  }, POLL_INTERVAL_MS);
  // Whatever else keeps the process there is looked after; this alone does not.
  timer.unref();
  return () => clearInterval(timer);
}

/** Flags of ours that npm has too: its variable says nothing of what was typed. */
const NPM_FLAGS = new Set(["--yes", "--force"]);

/** A longer file of npm's is not looked into, bytes. */
const MAX_NPM_FILE = 2 ** 20;
/** `name = value` or `name[] = value`, or the name alone. */
const NPM_FILE_LINE = /^\s*([^\s;#=[\]]+)(?:\[\])?\s*(?:=|$)/;

/** The name of npm's variable for a setting. */
const variableOf = (name: string): string => `npm_config_${name.toLowerCase().replaceAll("-", "_")}`;

/** Variables that npm sets because a file of its own says so: nobody typed these. */
function fromNpmFiles(environment: NodeJS.ProcessEnv): ReadonlySet<string> {
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
    return stats.isFile() && stats.size <= MAX_NPM_FILE ? readFileSync(path, "utf8").split(/\r?\n/) : [];
  } catch {
    // Most of these files are not there, and one that cannot be read told npm nothing either.
    return [];
  }
}

/** Values of these are not repeated. */
const SECRET = /password|seed|key|token/;

/**
 * Flags typed without `--` before them go to npm, which takes them for its own settings and hands them on as variables:
 * a node would start without them.
 * @returns what is to be said; undefined when npm kept nothing
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
  const told = command.options.flatMap((option) => {
    const value = keptValue(option, environment);
    return value === undefined || isTyped(option, words) ? [] : [{ option, value }];
  });
  if (told.length === 0) return undefined;
  const files = fromNpmFiles(environment);
  const kept = told.filter(({ option }) => !files.has(npmVariable(option)));
  if (kept.length === 0) return undefined;
  // npm takes the value of an unknown flag for a word of its own; with one of each it is clear what belongs together.
  const lost = kept.filter(({ option, value }) => option.required && value === "true");
  const found = lost.length === 1 && words.length === 1 && command.registeredArguments.length === 0;
  const value = found ? words.pop() : undefined;
  const flags = kept.map(({ option, value: given }) =>
    flagAsTyped(option, lost.some((one) => one.option === option) ? value : given),
  );
  const path = args.slice(event === "start" ? 1 : 0, args.length - words.length - (found ? 1 : 0));
  const names = kept.map(({ option }) => option.long).join(", ");
  return (
    `npm has kept ${names} for itself, so nothing was done. Type:\n` +
    `  ${[typed[event], ...path, ...words.map(shellWord), ...flags].join(" ")}\n`
  );
}

/** Whether a flag stands among the words that reached us: then what npm kept makes no difference. */
function isTyped({ long, short }: Option, words: readonly string[]): boolean {
  return words.some((word) => word === short || word === long || word.startsWith(`${long}=`));
}

function npmVariable({ long = "" }: Option): string {
  return variableOf(long.replace(/^--(no-)?/, ""));
}

/** What npm tells of a flag; undefined when it was not given. npm says "" of `--no-x`. */
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
