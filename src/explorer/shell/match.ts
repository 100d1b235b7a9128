/** Which page a path belongs to. */
import type { Params } from "../page.ts";

/** A path as the page's address bar has it, cut at its slashes and decoded. */
function segmentsOf(path: string): string[] | undefined {
  try {
    return path.replace(/\/$/, "").split("/").map(decodeURIComponent);
  } catch (error) {
    // Percent signs that stand for no text.
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

/**
 * The parameters that a path has by a pattern such as `block/:id`; undefined where it is another page's.
 * @param pattern a last segment that ends in `?` may be missing
 * @param path below the base, without a slash in front
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
