/** Where the pages are, as links relative to the base of the page, so that any prefix before it will do. */

/** The node of `?node=`, which every link keeps; undefined where the page shows its own node. */
let otherNode: string | undefined;

/** Says which node links are to keep. To be called once, when the page starts. */
export function setLinkedNode(node: string | undefined): void {
  otherNode = node;
}

/**
 * A link to a page.
 * @param path its segments, which are encoded here; none: the overview
 * @param query what is undefined is left out
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
/** @param tab which part of the page is to be open */
export const addressLink = (address: string, tab?: string): string => pageLink(["address", address], { tab });
export const identityLink = (did: string): string => pageLink(["identity", did]);
/** @param hash in hex; none: the page that takes a file */
export const anchorLink = (hash?: string): string =>
  pageLink(hash === undefined ? ["anchor"] : ["anchor", hash]);
export const searchLink = (text: string): string => pageLink(["search"], { q: text });
