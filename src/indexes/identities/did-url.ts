/** Parses DID URLs. DID Core 1.0, sections 3.1 and 3.2. */

/** `path`, `query` and `fragment` are empty if absent. */
interface DidUrl {
  /** Lower-case letters and digits. */
  readonly method: string;
  readonly specificId: string;
  readonly path: string;
  readonly query: string;
  readonly fragment: string;
  /** True if anything follows the DID, even an empty query or fragment. */
  readonly hasUrlParts: boolean;
}

/** Matching takes linear time. */
const DID = /^did:([a-z0-9]+):((?:[\w.:-]|%[0-9A-Fa-f]{2})*(?:[\w.-]|%[0-9A-Fa-f]{2}))$/;
/** A path, query or fragment. RFC 3986. */
const URL_PART = /^(?:[\w.~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*$/;

export function parseDidUrl(text: string): DidUrl | "invalidDid" | "invalidDidUrl" {
  const end = text.search(/[/?#]/);
  const did = DID.exec(end < 0 ? text : text.slice(0, end));
  if (did === null) return "invalidDid";
  const urlParts = end < 0 ? "" : text.slice(end);
  const hash = urlParts.indexOf("#");
  const fragment = hash < 0 ? "" : urlParts.slice(hash + 1);
  const beforeHash = hash < 0 ? urlParts : urlParts.slice(0, hash);
  const questionMark = beforeHash.indexOf("?");
  const query = questionMark < 0 ? "" : beforeHash.slice(questionMark + 1);
  const path = questionMark < 0 ? beforeHash : beforeHash.slice(0, questionMark);
  if (![path, query, fragment].every((part) => URL_PART.test(part))) return "invalidDidUrl";
  return { method: did[1], specificId: did[2], path, query, fragment, hasUrlParts: urlParts !== "" };
}

/** A URI with a scheme. RFC 3986. */
const URI =
  /^[a-z][a-z\d+.-]*:(?:\/\/\[[\da-f:.]+\])?(?:[\w.~!$&'()*+,;=:@/?-]|%[\da-f]{2})+(?:#(?:[\w.~!$&'()*+,;=:@/?-]|%[\da-f]{2})*)?$/i;

export function isUri(text: string): boolean {
  return URI.test(text) && URL.canParse(text);
}
