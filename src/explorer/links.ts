/** Links to pages, relative to the base URL, so that any prefix works. */

/** Kept in every link; undefined for the own node. */
let otherNode: string | undefined;

/** Call once at the start. */
export function setLinkedNode(node: string | undefined): void {
  otherNode = node;
}

/**
 * @param path unencoded segments; empty for the overview
 * @param query undefined values are left out
 */
export function pageLink(
  path: readonly (string | number)[] = [],
  query: Readonly<Record<string, string | number | undefined>> = {},
): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== "") parameters.set(name, String(value));
  if (otherNode !== undefined) parameters.set("node", otherNode);
  const written = path.map((segment) => encodeURIComponent(segment)).join("/");
  return (written === "" ? "./" : written) + (parameters.size === 0 ? "" : `?${parameters}`);
}

export const blockLink = (heightOrId: number | string): string => pageLink(["block", heightOrId]);
export const transactionLink = (id: string): string => pageLink(["transaction", id]);
export const addressLink = (address: string, tab?: string): string => pageLink(["address", address], { tab });
export const identityLink = (did: string): string => pageLink(["identity", did]);
/** @param hash in hex; without it, the page for files */
export const anchorLink = (hash?: string): string =>
  pageLink(hash === undefined ? ["anchor"] : ["anchor", hash]);
export const searchLink = (text: string): string => pageLink(["search"], { q: text });
