/** Links are relative to the base URL, so that the explorer works under any path. */

/** Parameter `node` of every link; undefined for the node that serves the page. */
let otherNode: string | undefined;

export function setLinkedNode(node: string | undefined): void {
  otherNode = node;
}

export function pageLink(
  path: readonly (string | number)[] = [],
  query: Readonly<Record<string, string | number | undefined>> = {},
): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== "") parameters.set(name, String(value));
  if (otherNode !== undefined) parameters.set("node", otherNode);
  // DIDs stay readable. A colon in the first segment would make it a scheme.
  const encodedPath = path.map((segment) => encodeURIComponent(segment).replaceAll("%3A", ":")).join("/");
  return (encodedPath === "" ? "./" : encodedPath) + (parameters.size === 0 ? "" : `?${parameters}`);
}

export const blockLink = (heightOrId: number | string): string => pageLink(["block", heightOrId]);
export const transactionLink = (id: string): string => pageLink(["transaction", id]);
export const addressLink = (address: string, tab?: string): string => pageLink(["address", address], { tab });
export const identityLink = (did: string): string => pageLink(["identity", did]);
/** @param hash in hex; without one, the link leads to the page that checks files */
export const anchorLink = (hash?: string): string =>
  pageLink(hash === undefined ? ["anchor"] : ["anchor", hash]);
export const forgerLink = (address: string): string => pageLink(["forgers", address]);
export const searchLink = (text: string): string => pageLink(["search"], { q: text });
