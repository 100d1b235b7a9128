/** The settings file: YAML with the names of the flags, or the reference's form (reference-file.ts). */
import { createRequire } from "node:module";
import { readBounded } from "../kinds/bounded-file.ts";
import { MAX_FILE } from "./hocon/read.ts";
import { IGNORED_NAMES } from "./ignored-names.ts";
import { fromReferenceFile, isReferenceFile } from "./reference-file.ts";
import { byName, type GivenSetting, Rank, type SourceResult } from "./settings-by-name.ts";
import { suggestion } from "./suggestion.ts";

/** The YAML reader, loaded when there is a file to read: most starts have none. */
const yamlReader = () => createRequire(import.meta.url)("yaml") as typeof import("yaml");

/** The settings file. An unknown key is refused; a key without a value counts as absent. */
export function fromFile(path: string, environment: NodeJS.ProcessEnv): SourceResult {
  try {
    return isReferenceFile(path) ? fromReferenceFile(path, environment) : fromYaml(path);
  } catch (error) {
    // An error of the system; all others are found below, and named with their lines.
    if (!(error instanceof Error && "syscall" in error)) throw error;
    return refused(path, `cannot read the settings file: ${error.message}`);
  }
}

function refused(path: string, reason: string): SourceResult {
  return { given: [], problems: [`${path}: ${reason}`], warnings: [] };
}

function fromYaml(path: string): SourceResult {
  const text = readBounded(path, MAX_FILE);
  if (text === undefined) return refused(path, "it is no settings file, it has more than 1 MiB");
  const { isScalar, isMap, LineCounter, parseDocument } = yamlReader();
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const [error] = document.errors;
  if (error !== undefined) return refused(path, `it is not YAML: ${error.message.split("\n")[0]}`);
  let content: unknown;
  try {
    content = document.toJS();
  } catch (failure) {
    // Aliases that would unfold into something huge, or that mean nothing; the name behind the colon may be a secret.
    return refused(path, `it cannot be read: ${(failure as Error).message.split(":")[0]}`);
  }
  if (content === null || content === undefined) return { given: [], problems: [], warnings: [] };
  if (typeof content !== "object" || Array.isArray(content))
    return refused(path, "it must hold `name: value` lines");
  const lineOf = new Map<unknown, number>();
  for (const { key } of isMap(document.contents) ? document.contents.items : [])
    if (isScalar(key)) lineOf.set(String(key.value), lines.linePos(key.range?.[0] ?? 0).line);
  const given: GivenSetting[] = [];
  const problems: string[] = [];
  const warnings: string[] = [];
  for (const [name, value] of Object.entries(content)) {
    const key = byName.get(name);
    const where = `${name} in ${path}:${lineOf.get(name) ?? 1}`;
    const reason = IGNORED_NAMES.get(name);
    if (reason !== undefined) warnings.push(`${where} has no effect: ${reason}`);
    else if (key === undefined)
      problems.push(`${where}: there is no such setting${suggestion(name, byName.keys())}`);
    else if (value !== null) given.push({ key, rank: Rank.file, where, value });
  }
  return { given, problems, warnings };
}
