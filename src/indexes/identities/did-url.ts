/** The syntax of DIDs and DID URLs. DID Core 1.0, sections 3.1 and 3.2. */

/** A DID URL taken apart; `path`, `query` and `fragment` are empty where there is none. */
interface DidUrl {
  /** Name of the method: lower-case letters and digits. */
  readonly method: string;
  /** What follows the method's name. */
  readonly specificId: string;
  readonly path: string;
  readonly query: string;
  readonly fragment: string;
  /** Whether it is more than a DID, be it an empty query or fragment. */
  readonly hasUrlParts: boolean;
}

/** `idchar`: no two of the alternatives begin alike, so that a text is read once. */
const DID = /^did:([a-z0-9]+):((?:[\w.:-]|%[0-9A-Fa-f]{2})*(?:[\w.-]|%[0-9A-Fa-f]{2}))$/;
/** What paths, queries and fragments are made of. RFC 3986. */
const URL_PART = /^(?:[\w.~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*$/;

/** Takes a DID URL apart, or names what the text is not. */
export function parseDidUrl(text: string): DidUrl | "invalidDid" | "invalidDidUrl" {
  const end = text.search(/[/?#]/);
  const did = DID.exec(end < 0 ? text : text.slice(0, end));
  if (did === null) return "invalidDid";
  const rest = end < 0 ? "" : text.slice(end);
  const hash = rest.indexOf("#");
  const fragment = hash < 0 ? "" : rest.slice(hash + 1);
  const beforeHash = hash < 0 ? rest : rest.slice(0, hash);
  const mark = beforeHash.indexOf("?");
  const query = mark < 0 ? "" : beforeHash.slice(mark + 1);
  const path = mark < 0 ? beforeHash : beforeHash.slice(0, mark);
  if (![path, query, fragment].every((part) => URL_PART.test(part))) return "invalidDidUrl";
  return { method: did[1], specificId: did[2], path, query, fragment, hasUrlParts: rest !== "" };
}

/** A URI with a scheme: other characters than these are percent-encoded in it. RFC 3986. */
const URI =
  /^[a-z][a-z\d+.-]*:(?:\/\/\[[\da-f:.]+\])?(?:[\w.~!$&'()*+,;=:@/?-]|%[\da-f]{2})+(?:#(?:[\w.~!$&'()*+,;=:@/?-]|%[\da-f]{2})*)?$/i;

/** Whether a text is a URI that stands for itself. */
export function isUri(text: string): boolean {
  return URI.test(text) && URL.canParse(text);
}
