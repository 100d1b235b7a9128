import type { RouteKey } from "../../../client/index.ts";
import type { RouteRequest } from "../../../client/types.ts";
import { afterKeyBlocks } from "../../data/use-query.ts";
import { pageLink } from "../../links.ts";
import type { PageDefinition, PageProps } from "../../page.ts";
import { Address, Amount } from "../../parts/inline.tsx";
import { type Column, numberColumn } from "../../parts/lists/table.tsx";
import { Height } from "../../parts/value.tsx";
import { commonTexts } from "../../text/common-texts.ts";
import { numberText, percentText, sizeText } from "../../text/text.ts";
import { FilterForm, type FilterName, filterParameters, readFilters } from "./filters.tsx";
import { NodeTable, type RowOf, useList } from "./node-list.tsx";
import { timeColumn, transactionColumns } from "./rows.tsx";
import { listTexts as texts } from "./texts.ts";

interface ListDefinition<Key extends RouteKey> {
  readonly path: keyof typeof texts.titles;
  readonly route: Key;
  readonly filters: readonly FilterName[];
  readonly columns: readonly Column<RowOf<Key>>[];
  readonly empty: string;
  keyOf(row: RowOf<Key>): string;
}

function ListLinks({ path }: { readonly path: string }) {
  return (
    <nav class="choices" aria-label={texts.lists}>
      <ul class="bare row">
        {Object.entries(texts.titles).map(([other, title]) => (
          <li key={other}>
            <a href={pageLink([other])} aria-current={other === path ? "page" : undefined}>
              {title}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function listPage<Key extends RouteKey>(definition: ListDefinition<Key>): PageDefinition {
  const { path, route, filters, ...table } = definition;
  const title = texts.titles[path];
  const View = ({ query, context }: PageProps) => {
    const values = readFilters(query, filters);
    // Safe cast: a route has the parameters of its filters.
    const request = { query: filterParameters(values) } as unknown as RouteRequest<Key>;
    const list = useList(context, afterKeyBlocks(context), route, request);
    return (
      <article>
        <h1>{title}</h1>
        <ListLinks path={path} />
        {filters.length > 0 && (
          <FilterForm names={filters} values={values} linkTo={(chosen) => pageLink([path], chosen)} />
        )}
        <section class="panel">
          <NodeTable list={list} caption={title} lines={30} {...table} />
        </section>
      </article>
    );
  };
  return { title: () => title, View };
}

const idOf = ({ id }: { readonly id: string }): string => id;

export const blocksPage = listPage({
  path: "blocks",
  filters: ["from", "to", "generator"],
  route: "GET /blocks/newest",
  empty: texts.emptyBlocks,
  keyOf: ({ height }) => String(height),
  columns: [
    { head: commonTexts.block, kind: "number", width: 90, cell: ({ height }) => <Height height={height} /> },
    timeColumn,
    { head: commonTexts.forger, kind: "id", cell: ({ generator }) => <Address value={generator} noCopy /> },
    numberColumn(commonTexts.transactions, ({ transactionCount }) => numberText(transactionCount), 110),
    { head: commonTexts.size, kind: "number", width: 90, cell: ({ size }) => sizeText(size) },
    { head: texts.fees, kind: "number", cell: ({ fees }) => <Amount value={fees} /> },
    { head: texts.reward, kind: "number", cell: ({ reward }) => <Amount value={reward} /> },
  ],
});

export const transactionsPage = listPage({
  path: "transactions",
  filters: ["type", "from", "to", "minAmount"],
  route: "GET /transactions/newest/rows",
  empty: texts.emptyTransactions,
  keyOf: idOf,
  columns: transactionColumns,
});

export const largestPage = listPage({
  path: "largest",
  filters: ["period"],
  route: "GET /transactions/largest",
  empty: texts.emptyTransactions,
  keyOf: idOf,
  columns: transactionColumns,
});

export const richestPage = listPage({
  path: "richest",
  filters: [],
  route: "GET /addresses/richest",
  empty: texts.emptyAccounts,
  keyOf: ({ address }) => address,
  columns: [
    { head: texts.rank, kind: "number", width: 80, cell: ({ rank }) => numberText(rank) },
    { head: commonTexts.account, kind: "id", cell: ({ address }) => <Address value={address} noCopy /> },
    { head: texts.balance, kind: "number", cell: ({ balance }) => <Amount value={balance} /> },
    { head: texts.share, kind: "number", width: 130, cell: ({ share }) => percentText(share) },
    { head: texts.effective, kind: "number", cell: ({ effective }) => <Amount value={effective} /> },
  ],
});
