import { pathsOf, type Route } from "../route.ts";

function segmentsOf(path: string): string[] {
  return path.split("/");
}

/**
 * Index paths match in any letter case. Returns a function that changes their fixed segments to the case of the route.
 * Page 07 §3.4.
 */
export function indexPaths(routes: readonly Route[]): (url: string) => string {
  const known = routes
    .filter(({ family }) => family === "index")
    .flatMap(pathsOf)
    .map(segmentsOf);
  const roots = new Set(known.map(([, root]) => root));
  return (url) => {
    const query = url.indexOf("?");
    const path = query < 0 ? url : url.slice(0, query);
    const rootEnd = path.indexOf("/", 1);
    const root = path.slice(1, rootEnd < 0 ? undefined : rootEnd).toLowerCase();
    if (!roots.has(root)) return url;
    const segments = segmentsOf(path);
    const matches = (one: readonly string[]): boolean =>
      one.length === segments.length &&
      one.every((segment, i) => segment.startsWith(":") || segment === segments[i].toLowerCase());
    const found = known.find(matches);
    if (found === undefined) return url;
    const written = found.map((segment, i) => (segment.startsWith(":") ? segments[i] : segment)).join("/");
    return query < 0 ? written : written + url.slice(query);
  };
}
