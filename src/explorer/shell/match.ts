import type { Params } from "../page.ts";

function segmentsOf(path: string): string[] | undefined {
  try {
    return path.replace(/\/$/, "").split("/").map(decodeURIComponent);
  } catch (error) {
    // Invalid percent encoding.
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

/**
 * Returns the parameters of a path, or undefined if it does not match.
 * @param pattern such as `block/:id`; a final `?` makes the last segment optional
 * @param path below the base, without a leading slash
 */
export function match(pattern: string, path: string): Params | undefined {
  const wanted = pattern.split("/");
  const found = segmentsOf(path);
  if (found === undefined || found.length > wanted.length) return undefined;
  const params: Record<string, string> = {};
  for (const [i, part] of wanted.entries()) {
    const segment = found[i];
    if (!part.startsWith(":")) {
      if (segment !== part) return undefined;
    } else if (segment !== undefined && segment !== "") params[part.slice(1).replace(/\?$/, "")] = segment;
    else if (!part.endsWith("?")) return undefined;
  }
  return params;
}
