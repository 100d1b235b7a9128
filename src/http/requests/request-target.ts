const AUTHORITY = /^https?:\/\/[^/?#]*/i;

/** Removes scheme and host from a request's target, and resolves `.` and `..` segments. Page 06 §2.6. */
export function normalizeTarget(target: string): string {
  const withoutAuthority = target.startsWith("/") ? target : target.replace(AUTHORITY, "");
  const url =
    withoutAuthority === target || withoutAuthority.startsWith("/")
      ? withoutAuthority
      : `/${withoutAuthority}`;
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
