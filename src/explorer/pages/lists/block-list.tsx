/** All blocks of the chain, newest first. */
import type { JSX } from "preact";
import type { Answer } from "../../../client/index.ts";
import { afterKeyBlocks, useQuery } from "../../data/use-query.ts";
import { pageLink } from "../../links.ts";
import type { PageContext, PageDefinition, PageProps } from "../../page.ts";
import { Amount } from "../../parts/amount.tsx";
import { Attempted } from "../../parts/attempted.tsx";
import { Address } from "../../parts/id.tsx";
import { type ListPage, LongTable, nextCursor } from "../../parts/lists/long-table.tsx";
import type { Column } from "../../parts/lists/table.tsx";
import { When, WhenHead } from "../../parts/time/when.tsx";
import { Height } from "../../parts/value.tsx";
import { commonTexts } from "../../text/common-texts.ts";
import { numberText, sizeText } from "../../text/measures.ts";
import { ExportLinks, FilterForm, type FilterName, type FilterValues, readFilters } from "./filters.tsx";
import { listTexts as texts } from "./texts.ts";

type BlockRow = Answer<"GET /blocks/newest">[number];

const FILTERS: readonly FilterName[] = ["from", "to", "generator"];
const PAGE_SIZE = 100;

const columns: readonly Column<BlockRow>[] = [
  { head: commonTexts.block, kind: "number", cell: ({ height }) => <Height height={height} /> },
  { head: <WhenHead />, kind: "time", cell: ({ timestamp }) => <When at={timestamp} /> },
  { head: commonTexts.forger, kind: "id", cell: ({ generator }) => <Address value={generator} noCopy /> },
  {
    head: commonTexts.transactions,
    kind: "number",
    cell: ({ transactionCount }) => numberText(transactionCount),
  },
  { head: texts.size, kind: "number", cell: ({ size }) => sizeText(size) },
  { head: texts.fees, kind: "number", cell: ({ fees }) => <Amount value={fees} /> },
  { head: texts.reward, kind: "number", cell: ({ reward }) => <Amount value={reward} /> },
];

async function loadPage(
  { node }: PageContext,
  values: FilterValues,
  cursor?: string,
): Promise<ListPage<BlockRow>> {
  const { from, to, generator } = values;
  const query = { limit: PAGE_SIZE, cursor, from, to, generator };
  const answer = await node.client.callWithHeaders("GET /blocks/newest", { query });
  return { rows: answer.value, next: nextCursor(answer) };
}

function View({ query, context }: PageProps): JSX.Element {
  const values = readFilters(query, FILTERS);
  const list = JSON.stringify(values);
  const first = useQuery(context, `blocks ${list}`, () => loadPage(context, values), afterKeyBlocks(context));
  return (
    <article>
      <h1>{texts.blocks}</h1>
      <FilterForm names={FILTERS} values={values} linkTo={(filters) => pageLink(["blocks"], filters)} />
      <section class="panel">
        <Attempted
          attempt={first}
          lines={30}
          render={(page) => (
            <LongTable
              key={list}
              classes="block-rows"
              caption={texts.blocks}
              columns={columns}
              first={page}
              loadPage={(cursor) => loadPage(context, values, cursor)}
              keyOf={({ height }) => String(height)}
              empty={texts.emptyBlocks}
            />
          )}
        />
        <ExportLinks context={context} path="blocks/newest" values={values} />
      </section>
    </article>
  );
}

export const blocksPage: PageDefinition = { path: "blocks", title: () => texts.blocks, View };
