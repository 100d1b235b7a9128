/** Page 07 §4.2. */

/**
 * Removes the prefix; a URL without it becomes one that no route matches.
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
