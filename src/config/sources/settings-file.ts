import { createRequire } from "node:module";
import { readBounded } from "../kinds/bounded-file.ts";
import { MAX_FILE_BYTES } from "./hocon/read.ts";
import { fromReferenceFile, isReferenceFile } from "./reference-file.ts";
import { SettingCollector } from "./setting-collector.ts";
import type { SourceResult } from "./settings-by-name.ts";

const loadYaml = () => createRequire(import.meta.url)("yaml") as typeof import("yaml");

/**
 * Reads YAML with flag names, or the reference's format. Unknown keys are problems; keys without a value count as
 * absent.
 */
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

/** Returns `KEY in ` for the last top-level key up to a line (from 1), or "". */
function keyBefore(text: string, line: number): string {
  const above = text.split("\n").slice(0, line).reverse();
  const [key] = above.flatMap(
    (lineText) => /^["']?([A-Za-z][\w-]{0,99})["']?[ \t]*:/.exec(lineText)?.[1] ?? [],
  );
  return key === undefined ? "" : `${key} in `;
}

function isResolvable(resolve: () => unknown): boolean {
  try {
    resolve();
    return true;
  } catch {
    return false;
  }
}

function fromYaml(path: string): SourceResult {
  const text = readBounded(path, MAX_FILE_BYTES);
  if (text === undefined) return refused(path, "the settings file exceeds 1 MiB");
  const { isScalar, isMap, isNode, LineCounter, parseDocument } = loadYaml();
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const [error] = document.errors;
  if (error !== undefined) {
    const { line } = lines.linePos(error.pos[0]);
    const reason = error.message.split("\n")[0].replace(/:$/, "");
    return refused(`${keyBefore(text, line)}${path}:${line}`, `invalid YAML: ${reason}`);
  }
  let content: unknown;
  try {
    content = document.toJS();
  } catch (failure) {
    // The message may contain a secret after its colon.
    const items = isMap(document.contents) ? document.contents.items : [];
    const faulty = items.find(({ value }) => isNode(value) && !isResolvable(() => value.toJS(document)));
    const where = isScalar(faulty?.key) ? `${String(faulty.key.value)} in ${path}` : path;
    return refused(where, `cannot resolve its aliases: ${(failure as Error).message.split(":")[0]}`);
  }
  const collector = new SettingCollector();
  if (content === null || content === undefined) return collector;
  if (typeof content !== "object" || Array.isArray(content))
    return refused(path, "expected `name: value` lines");
  const lineOf = new Map<unknown, number>();
  for (const { key } of isMap(document.contents) ? document.contents.items : [])
    if (isScalar(key)) lineOf.set(String(key.value), lines.linePos(key.range?.[0] ?? 0).line);
  for (const [name, value] of Object.entries(content))
    collector.addFromFile(name, `${name} in ${path}:${lineOf.get(name) ?? 1}`, value, path);
  return collector;
}
