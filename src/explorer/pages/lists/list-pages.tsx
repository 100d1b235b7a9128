import type { Answer, Client } from "../../../client/index.ts";
import { afterKeyBlocks, useQuery } from "../../data/use-query.ts";
import { pageLink } from "../../links.ts";
import type { PageDefinition, PageProps } from "../../page.ts";
import { Address, Amount } from "../../parts/inline.tsx";
import { LongTable, PAGE_SIZE, type PagedAnswer, toListPage } from "../../parts/lists/long-table.tsx";
import { type Column, numberColumn } from "../../parts/lists/table.tsx";
import { Attempted } from "../../parts/panel.tsx";
import { Height } from "../../parts/value.tsx";
import { commonTexts } from "../../text/common-texts.ts";
import { numberText, percentText, sizeText } from "../../text/text.ts";
import { ExportLinks, FilterForm, type FilterName, filterParameters, readFilters } from "./filters.tsx";
import { timeColumn, transactionColumns } from "./rows.tsx";
import { listTexts as texts } from "./texts.ts";

interface ListDefinition<Row> {
  readonly path: keyof typeof texts.titles;
  readonly filters: readonly FilterName[];
  readonly columns: readonly Column<Row>[];
  readonly empty: string;
  /** Of the node, for download links. */
  readonly route: string;
  keyOf(row: Row): string;
  load(
    client: Client,
    query: ReturnType<typeof filterParameters> & {
      readonly limit: number;
      readonly cursor: string | undefined;
    },
  ): Promise<PagedAnswer<readonly Row[]>>;
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

function listPage<Row>(definition: ListDefinition<Row>): PageDefinition {
  const { path, filters, route, load, columns, keyOf, empty } = definition;
  const title = texts.titles[path];
  const View = ({ query, context }: PageProps) => {
    const values = readFilters(query, filters);
    const filterKey = JSON.stringify(values);
    const loadPage = async (cursor?: string, limit = PAGE_SIZE) =>
      toListPage(await load(context.node.client, { limit, cursor, ...filterParameters(values) }));
    const first = useQuery(context, `${path} ${filterKey}`, () => loadPage(), afterKeyBlocks(context));
    return (
      <article>
        <h1>{title}</h1>
        <ListLinks path={path} />
        {filters.length > 0 && (
          <FilterForm names={filters} values={values} linkTo={(chosen) => pageLink([path], chosen)} />
        )}
        <section class="panel">
          <Attempted
            attempt={first}
            lines={30}
            render={(page) => (
              <LongTable
                key={filterKey}
                caption={title}
                columns={columns}
                first={page}
                loadPage={loadPage}
                keyOf={keyOf}
                empty={empty}
              />
            )}
          />
          <ExportLinks context={context} path={route} values={values} />
        </section>
      </article>
    );
  };
  return { path, title: () => title, View };
}

const idOf = ({ id }: { readonly id: string }): string => id;

export const blocksPage = listPage<Answer<"GET /blocks/newest">[number]>({
  path: "blocks",
  filters: ["from", "to", "generator"],
  route: "blocks/newest",
  empty: texts.emptyBlocks,
  keyOf: ({ height }) => String(height),
  load: (client, query) => client.callWithHeaders("GET /blocks/newest", { query }),
  columns: [
    { head: commonTexts.block, kind: "number", width: 90, cell: ({ height }) => <Height height={height} /> },
    timeColumn,
    { head: commonTexts.forger, kind: "id", cell: ({ generator }) => <Address value={generator} noCopy /> },
    numberColumn(commonTexts.transactions, ({ transactionCount }) => numberText(transactionCount), 110),
    { head: texts.size, kind: "number", width: 90, cell: ({ size }) => sizeText(size) },
    { head: texts.fees, kind: "number", cell: ({ fees }) => <Amount value={fees} /> },
    { head: texts.reward, kind: "number", cell: ({ reward }) => <Amount value={reward} /> },
  ],
});

export const transactionsPage = listPage({
  path: "transactions",
  filters: ["type", "from", "to", "minAmount"],
  route: "transactions/newest/rows",
  empty: texts.emptyTransactions,
  keyOf: idOf,
  load: (client, query) => client.callWithHeaders("GET /transactions/newest/rows", { query }),
  columns: transactionColumns,
});

export const largestPage = listPage({
  path: "largest",
  filters: ["period"],
  route: "transactions/largest",
  empty: texts.emptyTransactions,
  keyOf: idOf,
  load: (client, query) => client.callWithHeaders("GET /transactions/largest", { query }),
  columns: transactionColumns,
});

export const richestPage = listPage<Answer<"GET /addresses/richest">[number]>({
  path: "richest",
  filters: [],
  route: "addresses/richest",
  empty: texts.emptyAccounts,
  keyOf: ({ address }) => address,
  load: (client, query) => client.callWithHeaders("GET /addresses/richest", { query }),
  columns: [
    { head: texts.rank, kind: "number", width: 80, cell: ({ rank }) => numberText(rank) },
    { head: commonTexts.account, kind: "id", cell: ({ address }) => <Address value={address} noCopy /> },
    { head: texts.balance, kind: "number", cell: ({ balance }) => <Amount value={balance} /> },
    { head: texts.share, kind: "number", width: 130, cell: ({ share }) => percentText(share) },
    { head: texts.effective, kind: "number", cell: ({ effective }) => <Amount value={effective} /> },
  ],
});
