/** The path prefix of the API on a host that it shares. Page 07 §4.2. */

/**
 * Returns a function that removes the prefix from a URL. A URL without it becomes one that no route matches.
 * @param prefix `/node`; empty: none
 */
export function prefixRemover(prefix: string): (url: string) => string {
  if (prefix === "") return (url) => url;
  return (url) => {
    if (!url.startsWith(prefix)) return url.startsWith("/") ? `/${url}` : url;
    const rest = url.slice(prefix.length);
    if (rest === "" || rest.startsWith("?")) return `/${rest}`;
    return rest.startsWith("/") ? rest : `/${url}`;
  };
}
