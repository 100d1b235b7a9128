/** Reads the settings file: YAML with flag names, or the format of the reference (reference-file.ts). */
import { createRequire } from "node:module";
import { readBounded } from "../kinds/bounded-file.ts";
import { MAX_FILE } from "./hocon/read.ts";
import { fromReferenceFile, isReferenceFile } from "./reference-file.ts";
import { SettingCollector } from "./setting-collector.ts";
import type { SourceResult } from "./settings-by-name.ts";

/** Loads the YAML parser on demand. */
const yamlReader = () => createRequire(import.meta.url)("yaml") as typeof import("yaml");

/** Reads a settings file. Unknown keys are problems, and keys without a value count as absent. */
export function fromFile(path: string, environment: NodeJS.ProcessEnv): SourceResult {
  try {
    return isReferenceFile(path) ? fromReferenceFile(path, environment) : fromYaml(path);
  } catch (error) {
    if (!(error instanceof Error && "syscall" in error)) throw error;
    return refused(path, `cannot read the settings file: ${error.message}`);
  }
}

function refused(path: string, reason: string): SourceResult {
  return { given: [], problems: [`${path}: ${reason}`], warnings: [] };
}

function fromYaml(path: string): SourceResult {
  const text = readBounded(path, MAX_FILE);
  if (text === undefined) return refused(path, "the settings file exceeds 1 MiB");
  const { isScalar, isMap, LineCounter, parseDocument } = yamlReader();
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const [error] = document.errors;
  if (error !== undefined) return refused(path, `invalid YAML: ${error.message.split("\n")[0]}`);
  let content: unknown;
  try {
    content = document.toJS();
  } catch (failure) {
    // An alias is unknown, or aliases expand too far. The text after the colon may contain a secret.
    return refused(path, `cannot resolve its aliases: ${(failure as Error).message.split(":")[0]}`);
  }
  const collector = new SettingCollector();
  if (content === null || content === undefined) return collector;
  if (typeof content !== "object" || Array.isArray(content))
    return refused(path, "expected `name: value` lines");
  const lineOf = new Map<unknown, number>();
  for (const { key } of isMap(document.contents) ? document.contents.items : [])
    if (isScalar(key)) lineOf.set(String(key.value), lines.linePos(key.range?.[0] ?? 0).line);
  for (const [name, value] of Object.entries(content))
    collector.addFromFile(name, `${name} in ${path}:${lineOf.get(name) ?? 1}`, value);
  return collector;
}
