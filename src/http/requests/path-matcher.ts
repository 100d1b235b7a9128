/** Finds the methods of a path, for requests without a route. */

import type { TSchema } from "typebox";

/** Decimal digits, leading zeros too. Page 06 §2.6. */
const INT32 = /^\d+$/;
const INT32_MAX = 2_147_483_647;

/** Returns undefined for an invalid integer. */
export function pathInteger(text: string): number | undefined {
  if (!INT32.test(text)) return undefined;
  const value = Number(text);
  return value <= INT32_MAX ? value : undefined;
}

interface KnownPath {
  /** With `:name` for parameters, and possibly `*` at its end. */
  readonly path: string;
  readonly params: Readonly<Record<string, TSchema>> | undefined;
  readonly methods: readonly string[];
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

function pattern({ path, params }: KnownPath): RegExp {
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

/** Returns a function that lists the methods of a URL. */
export function pathMatcher(paths: readonly KnownPath[]): (url: string) => string[] {
  const known = paths.map((one) => ({ pattern: pattern(one), methods: one.methods }));
  return (url) => {
    const path = url.split("?", 1)[0];
    const methods = new Set<string>();
    for (const one of known) {
      const match = one.pattern.exec(path);
      if (match === null) continue;
      if (match.slice(1).some((digits) => pathInteger(digits) === undefined)) continue;
      for (const method of one.methods) methods.add(method);
    }
    return [...methods];
  };
}
