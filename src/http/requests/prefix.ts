/** A path that stands before all paths of the interface, where it shares a host with others. Page 07 §4.2. */

/**
 * Gives a function that takes the prefix off a URL. What does not begin with it comes back as a URL that no route has.
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
