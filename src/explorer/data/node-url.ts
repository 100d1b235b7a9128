import { PageProblem } from "../page.ts";
import { problemTexts as texts } from "./texts.ts";

export interface NodeLocation {
  /** With a trailing slash, without query and fragment. */
  readonly url: string;
  readonly servesPage: boolean;
}

const MAX_URL_LENGTH = 2_048;

/**
 * @param parameter the `?node=` parameter, or null
 * @param base URL of the explorer, one level below the API of the node that serves the page
 * @throws PageProblem for an invalid URL
 */
export function nodeLocation(parameter: string | null, base: string): NodeLocation {
  const servingUrl = new URL("../", base).href;
  if (parameter === null || parameter === "") return { url: servingUrl, servesPage: true };
  const url = parameter.length <= MAX_URL_LENGTH && URL.canParse(parameter) ? new URL(parameter) : undefined;
  if (url?.protocol !== "http:" && url?.protocol !== "https:")
    throw new PageProblem("malformed", texts.notANodeUrl, texts.nodeUrlAdvice);
  // Credentials would be sent to any host in a link.
  if (url.username !== "" || url.password !== "")
    throw new PageProblem("malformed", texts.urlWithCredentials, texts.nodeUrlAdvice);
  url.search = "";
  url.hash = "";
  if (!url.pathname.endsWith("/")) url.pathname += "/";
  return { url: url.href, servesPage: url.href === servingUrl };
}
