/** All transactions of the chain, newest first. */
import type { JSX } from "preact";
import { afterKeyBlocks, useQuery } from "../../data/use-query.ts";
import { pageLink } from "../../links.ts";
import type { PageContext, PageDefinition, PageProps } from "../../page.ts";
import { Attempted } from "../../parts/attempted.tsx";
import { type ListPage, LongTable, nextCursor } from "../../parts/lists/long-table.tsx";
import {
  ExportLinks,
  FilterForm,
  type FilterName,
  type FilterValues,
  filterParameters,
  readFilters,
} from "./filters.tsx";
import { type TransactionRow, transactionColumns } from "./rows.tsx";
import { listTexts as texts } from "./texts.ts";

const FILTERS: readonly FilterName[] = ["type", "from", "to", "minAmount"];
const PAGE_SIZE = 100;

async function loadPage(
  { node }: PageContext,
  values: FilterValues,
  cursor?: string,
): Promise<ListPage<TransactionRow>> {
  const query = { limit: PAGE_SIZE, cursor, ...filterParameters(values) };
  const answer = await node.client.callWithHeaders("GET /transactions/newest/rows", { query });
  return { rows: answer.value, next: nextCursor(answer) };
}

function View({ query, context }: PageProps): JSX.Element {
  const values = readFilters(query, FILTERS);
  const list = JSON.stringify(values);
  const first = useQuery(
    context,
    `transactions ${list}`,
    () => loadPage(context, values),
    afterKeyBlocks(context),
  );
  return (
    <article>
      <h1>{texts.transactions}</h1>
      <FilterForm names={FILTERS} values={values} linkTo={(filters) => pageLink(["transactions"], filters)} />
      <section class="panel">
        <Attempted
          attempt={first}
          lines={30}
          render={(page) => (
            <LongTable
              key={list}
              classes="transaction-rows"
              caption={texts.transactions}
              columns={transactionColumns}
              first={page}
              loadPage={(cursor) => loadPage(context, values, cursor)}
              keyOf={({ id }) => id}
              empty={texts.emptyTransactions}
            />
          )}
        />
        <ExportLinks context={context} path="transactions/newest/rows" values={values} />
      </section>
    </article>
  );
}

export const transactionsPage: PageDefinition = {
  path: "transactions",
  title: () => texts.transactions,
  View,
};
