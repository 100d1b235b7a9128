/**
 * Returns a function that removes the prefix from URLs, and maps other URLs to paths without a route. Page 07 §4.2.
 * @param prefix e.g. `/node`; empty: none
 */
export function prefixRemover(prefix: string): (url: string) => string {
  if (prefix === "") return (url) => url;
  return (url) => {
    if (!url.startsWith(prefix)) return url.startsWith("/") ? `/${url}` : url;
    const path = url.slice(prefix.length);
    if (path === "" || path.startsWith("?")) return `/${path}`;
    return path.startsWith("/") ? path : `/${url}`;
  };
}
