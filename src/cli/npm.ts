/** What there is to know where npm has started the command line: `npm start`, `npm run holdfast`, `npx holdfast`. */
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
const LOOK_MS = 500;

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
  }, LOOK_MS);
  // Whatever else keeps the process there is looked after; this alone does not.
  timer.unref();
  return () => clearInterval(timer);
}

/** Flags of ours that npm has too: its variable says nothing of what was typed. */
const NPMS_OWN = new Set(["--yes", "--force"]);

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
  const kept = command.options.flatMap((option) => {
    const value = keptValue(option, environment);
    return value === undefined ? [] : [{ option, value }];
  });
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

/** What npm tells of a flag; undefined when it was not given. npm says "" of `--no-x`. */
function keptValue({ long, negate }: Option, environment: NodeJS.ProcessEnv): string | undefined {
  if (typeof long !== "string" || NPMS_OWN.has(long)) return undefined;
  const value = environment[`npm_config_${long.replace(/^--(no-)?/, "").replaceAll("-", "_")}`];
  return value === undefined || negate !== (value === "") ? undefined : value;
}

function flagAsTyped({ flags, long, required }: Option, value: string | undefined): string {
  if (!required) return long ?? flags;
  return value === undefined || SECRET.test(flags) ? flags : `${long} ${shellWord(value)}`;
}
