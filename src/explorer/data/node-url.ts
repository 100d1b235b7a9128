/** Which node the page looks at: its own, or the one that `?node=` names. */
import { PageProblem } from "../page.ts";

/** Where a node's interface stands. */
export interface NodePlace {
  /** With the slash at the end, without query and fragment. */
  readonly url: string;
  /** Whether the page comes from it. */
  readonly own: boolean;
}

const MAX_URL = 2_048;
const NODE_URL_HINT =
  "Write it as https://node.example.org, with the path that its interface stands below, if any.";

/**
 * The node of a page.
 * @param wanted what `?node=` says; null where it is not there
 * @param base of the page, below which the pages are: its interface stands above
 * @throws PageProblem for what is no URL of a node
 */
export function nodePlace(wanted: string | null, base: string): NodePlace {
  const own = new URL("../", base).href;
  if (wanted === null || wanted === "") return { url: own, own: true };
  const url = wanted.length <= MAX_URL && URL.canParse(wanted) ? new URL(wanted) : undefined;
  if (url?.protocol !== "http:" && url?.protocol !== "https:")
    throw new PageProblem("malformed", "What ?node= names is not the address of a node.", NODE_URL_HINT);
  // Whoever writes a name and a password into a link would have them sent to wherever it leads.
  if (url.username !== "" || url.password !== "")
    throw new PageProblem("malformed", "The address in ?node= holds a name or a password.", NODE_URL_HINT);
  url.search = "";
  url.hash = "";
  if (!url.pathname.endsWith("/")) url.pathname += "/";
  return { url: url.href, own: url.href === own };
}
