import { pathsOf, type Route } from "../route.ts";

/** Returns a function that gives an index path the letter case of its route. Page 07 §3.4. */
export function indexCaseNormalizer(routes: readonly Route[]): (url: string) => string {
  const paths = routes
    .filter(({ family }) => family === "index")
    .flatMap(pathsOf)
    .map((path) => path.split("/"));
  const roots = new Set(paths.map(([, root]) => root));
  return (url) => {
    const query = url.indexOf("?");
    const segments = (query < 0 ? url : url.slice(0, query)).split("/");
    if (!roots.has(segments[1]?.toLowerCase())) return url;
    const matches = (path: readonly string[]): boolean =>
      path.length === segments.length &&
      path.every((segment, i) => segment.startsWith(":") || segment === segments[i].toLowerCase());
    const found = paths.find(matches);
    if (found === undefined) return url;
    const path = found.map((segment, i) => (segment.startsWith(":") ? segments[i] : segment)).join("/");
    return query < 0 ? path : path + url.slice(query);
  };
}
