/** Scheme and host of an absolute target, which clients send to proxies. */
const AUTHORITY = /^https?:\/\/[^/?#]*/i;

/** Resolves `.` and `..` segments of the path, and removes scheme and host. Page 06 §2.6. */
export function normalizeTarget(target: string): string {
  const rest = target.startsWith("/") ? target : target.replace(AUTHORITY, "");
  const url = rest === target || rest.startsWith("/") ? rest : `/${rest}`;
  return url.includes("/.") ? resolveDotSegments(url) : url;
}

function resolveDotSegments(url: string): string {
  const query = url.indexOf("?");
  const path = query < 0 ? url : url.slice(0, query);
  const segments: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "..") {
      if (segments.length > 1) segments.pop();
    } else if (segment !== ".") segments.push(segment);
  }
  return segments.join("/") + (query < 0 ? "" : url.slice(query));
}
