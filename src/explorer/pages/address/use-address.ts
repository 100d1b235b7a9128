import { useQuery } from "../../data/use-query.ts";
import { type Attempt, type PageContext, PageProblem } from "../../page.ts";
import { parseSearch } from "../../search/parse-search.ts";
import { addressTexts as texts } from "./texts.ts";

/** @throws PageProblem if the text is not an address of this network */
function parseAddress(text: string, chainId: number): string {
  const parsed = parseSearch(text, chainId);
  if (parsed.kind === "nothing") throw new PageProblem("malformed", parsed.message, parsed.advice);
  const found = parsed.candidates.find((candidate) => candidate.kind === "address");
  if (found !== undefined) return found.text;
  throw new PageProblem("malformed", texts.invalid, texts.invalidAdvice);
}

/** The address in the path of a page. @param text untrusted */
export const useAddress = (context: PageContext, text: string): Attempt<string> | undefined =>
  useQuery(context, `address ${text}`, async () =>
    parseAddress(text, (await context.node.loadNetwork()).chainId),
  );
