import { PageProblem } from "../page.ts";
import { problemTexts as texts } from "./texts.ts";

export interface NodePlace {
  /** With a trailing slash, without query and fragment. */
  readonly url: string;
  /** Whether the page comes from this node. */
  readonly own: boolean;
}

const MAX_URL = 2_048;

/**
 * @param wanted the `?node=` parameter, or null
 * @param base URL of the explorer; the API of its own node is one level above
 * @throws PageProblem for an invalid URL
 */
export function nodePlace(wanted: string | null, base: string): NodePlace {
  const own = new URL("../", base).href;
  if (wanted === null || wanted === "") return { url: own, own: true };
  const url = wanted.length <= MAX_URL && URL.canParse(wanted) ? new URL(wanted) : undefined;
  if (url?.protocol !== "http:" && url?.protocol !== "https:")
    throw new PageProblem("malformed", texts.notANodeUrl, texts.nodeUrlAdvice);
  // Credentials in a link would be sent to whatever host it names.
  if (url.username !== "" || url.password !== "")
    throw new PageProblem("malformed", texts.urlWithCredentials, texts.nodeUrlAdvice);
  url.search = "";
  url.hash = "";
  if (!url.pathname.endsWith("/")) url.pathname += "/";
  return { url: url.href, own: url.href === own };
}
