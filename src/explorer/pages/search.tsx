/** Opens the only match, or lists possible meanings of the text. */
import { useEffect } from "preact/hooks";
import { useQuery } from "../data/use-query.ts";
import type { PageContext, PageDefinition, PageProps } from "../page.ts";
import { Table } from "../parts/lists/table.tsx";
import { PageContent, ProblemNotice } from "../parts/panel.tsx";
import { type Finding, findCandidates } from "../search/find-candidates.ts";
import { type ParsedSearch, parseSearch } from "../search/parse-search.ts";
import { loadSuggestions, resultLink, type Suggestion } from "../search/suggestions.ts";
import { lookupTexts, searchTexts as texts } from "../search/texts.ts";
import { navigate } from "../shell/page-location.ts";
import { commonTexts } from "../text/common-texts.ts";
import { displayText, fill, numberText, truncate } from "../text/text.ts";

const MAX_SHOWN_CHARACTERS = 200;

interface SearchData {
  readonly text: string;
  readonly parsed: ParsedSearch;
  readonly findings: readonly Finding[];
  readonly suggestions: readonly Suggestion[];
  /** Of the chain; set only if nothing was found. */
  readonly height: number | undefined;
}

function linkTextFor({ candidate: { kind }, link }: Finding): string | undefined {
  if (kind === "transaction") return texts.waitForTransaction;
  if (kind === "hash") return texts.checkHash;
  return kind === "public key" && link !== undefined ? texts.openAddress : undefined;
}

const columns = [
  { head: texts.searchedAs, cell: ({ candidate }: Finding) => lookupTexts.kinds[candidate.kind] },
  {
    head: texts.result,
    cell: (finding: Finding) => {
      if (finding.found) return <a href={finding.link}>{finding.summary}</a>;
      const linkText = linkTextFor(finding);
      return (
        <>
          <span class="quiet">{finding.summary}</span>
          {linkText !== undefined && (
            <>
              {" "}
              · <a href={finding.link}>{linkText}</a>
            </>
          )}
        </>
      );
    },
  },
];

async function load(text: string, { node }: PageContext): Promise<SearchData> {
  const { chainId } = await node.loadNetwork();
  const parsed = parseSearch(text, chainId);
  const findings = parsed.kind === "nothing" ? [] : await findCandidates(node.client, parsed.candidates);
  if (findings.some(({ found }) => found))
    return { text, parsed, findings, suggestions: [], height: undefined };
  const suggestions = await loadSuggestions(node.client, text);
  const { height } = await node.client.call("GET /blocks/height");
  return { text, parsed, findings, suggestions, height };
}

const searchNumbers = new WeakMap<URLSearchParams, number>();
let searches = 0;

/** Numbers the searches, because the same text may find more on a longer chain. */
function searchNumber(query: URLSearchParams): number {
  let number = searchNumbers.get(query);
  if (number === undefined) {
    number = ++searches;
    searchNumbers.set(query, number);
  }
  return number;
}

function View({ query, context }: PageProps) {
  const text = query.get("q") ?? "";
  const results = useQuery(context, `search ${searchNumber(query)} ${text}`, () => load(text, context));
  return (
    <PageContent
      context={context}
      heading={texts.title}
      attempt={results}
      render={(data) => <Results data={data} />}
    />
  );
}

function headingFor(foundCount: number, suggestionCount: number): string {
  if (foundCount > 0) return foundCount === 1 ? texts.found : texts.several;
  return suggestionCount > 0 ? texts.beginsWith : texts.nothing;
}

function Results({ data }: { readonly data: SearchData }) {
  const { text, parsed, findings, suggestions, height } = data;
  const found = findings.filter((finding) => finding.found);
  const href = found.length === 1 ? found[0].link : undefined;
  useEffect(() => {
    // The back button must lead to the page where the search started.
    if (href !== undefined) navigate(href, true);
    // `data`, not `href`: the next search may find the same page.
  }, [data]);
  if (text.trim() === "")
    return (
      <article>
        <h1>{texts.title}</h1>
        {parsed.kind === "nothing" && <p>{parsed.advice}</p>}
      </article>
    );
  return (
    <article>
      <h1>{headingFor(found.length, suggestions.length)}</h1>
      <p>
        {fill(texts.searched, {
          text: <bdi class="code">{truncate(displayText(text), MAX_SHOWN_CHARACTERS)}</bdi>,
        })}
        {text.length > MAX_SHOWN_CHARACTERS && "…"}
      </p>
      {parsed.kind === "nothing" ? (
        suggestions.length === 0 && <ProblemNotice kind="plain" problem={parsed} />
      ) : (
        <Table caption={texts.caption} columns={columns} rows={findings} keyOf={(_, index) => index} />
      )}
      {suggestions.length > 0 && (
        <ul class="bare">
          {suggestions.map((suggestion) => (
            <li key={suggestion.text}>
              <span class="quiet">{lookupTexts.kinds[suggestion.kind]}</span>{" "}
              <a class="code" href={resultLink(suggestion)}>
                {suggestion.text}
              </a>
            </li>
          ))}
        </ul>
      )}
      {parsed.kind === "candidates" && found.length === 0 && (
        <p class="quiet">{texts.chainEnd(height === undefined ? commonTexts.unknown : numberText(height))}</p>
      )}
    </article>
  );
}

export const searchPage: PageDefinition = { title: () => texts.title, View };
