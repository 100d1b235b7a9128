/** Finds the methods that a path supports. */
import type { TSchema } from "typebox";

/** Decimal digits; leading zeros are allowed. Page 06 §2.6. */
const DIGITS = /^\d+$/;
const INT32_MAX = 2_147_483_647;

/** Returns undefined if the text is invalid or above 2^31 - 1. */
export function pathInteger(text: string): number | undefined {
  if (!DIGITS.test(text)) return undefined;
  const value = Number(text);
  return value <= INT32_MAX ? value : undefined;
}

interface KnownPath {
  /** May contain `:name` for parameters, and `*` at its end. */
  readonly path: string;
  readonly params: Readonly<Record<string, TSchema>> | undefined;
  readonly methods: readonly string[];
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

function patternOf({ path, params }: KnownPath): RegExp {
  const source = path
    .split("/")
    .map((segment) => {
      if (segment.startsWith(":")) {
        const schema = params?.[segment.slice(1)] as { type?: string } | undefined;
        return schema?.type === "integer" ? "(\\d+)" : "[^/]+";
      }
      return segment.endsWith("*") ? `${escapePattern(segment.slice(0, -1))}.*` : escapePattern(segment);
    })
    .join("/");
  return new RegExp(`^${source}$`);
}

/** Compiles the patterns at the first call, because a start does not need them. */
export function pathMatcher(paths: readonly KnownPath[]): (url: string) => string[] {
  let entries: { readonly pattern: RegExp; readonly methods: readonly string[] }[] | undefined;
  return (url) => {
    entries ??= paths.map((path) => ({ pattern: patternOf(path), methods: path.methods }));
    const path = url.split("?", 1)[0];
    const methods = new Set<string>();
    for (const entry of entries) {
      const match = entry.pattern.exec(path);
      if (match === null) continue;
      if (match.slice(1).some((digits) => pathInteger(digits) === undefined)) continue;
      for (const method of entry.methods) methods.add(method);
    }
    return [...methods];
  };
}
