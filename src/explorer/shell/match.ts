import type { Params } from "../page.ts";

function segmentsOf(path: string): string[] | undefined {
  try {
    return path.replace(/\/$/, "").split("/").map(decodeURIComponent);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

/**
 * Returns the decoded parameters of a path, or undefined without a match.
 * @param pattern such as `block/:id`; a final `?` makes the last segment optional
 * @param path relative to the base URL, without a leading slash
 */
export function match(pattern: string, path: string): Params | undefined {
  const parts = pattern.split("/");
  const segments = segmentsOf(path);
  if (segments === undefined || segments.length > parts.length) return undefined;
  const params: Record<string, string> = {};
  for (const [i, part] of parts.entries()) {
    const segment = segments[i];
    if (!part.startsWith(":")) {
      if (segment !== part) return undefined;
    } else if (segment !== undefined && segment !== "") params[part.slice(1).replace(/\?$/, "")] = segment;
    else if (!part.endsWith("?")) return undefined;
  }
  return params;
}
