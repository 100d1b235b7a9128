import { useAnswer, useQuery } from "../../data/use-query.ts";
import type { ShownTransaction } from "../../describe/details.ts";
import { typeNameOf } from "../../describe/details.ts";
import { actionOf } from "../../describe/sentence.ts";
import { pageLink, transactionLink } from "../../links.ts";
import type { Live, PageContext } from "../../page.ts";
import { Address, Amount, Time } from "../../parts/inline.tsx";
import { type Column, FieldList, numberColumn, Table } from "../../parts/lists/table.tsx";
import { Attempted } from "../../parts/panel.tsx";
import { Sentence } from "../../parts/sentence.tsx";
import { commonTexts } from "../../text/common-texts.ts";
import { numberText } from "../../text/text.ts";
import {
  FilterForm,
  type FilterName,
  type FilterValues,
  filterParameters,
  readFilters,
} from "../lists/filters.tsx";
import { NodeTable, type RowOf, useList } from "../lists/node-list.tsx";
import { blockColumn, timeColumn, typeColumn } from "../lists/rows.tsx";
import { listTexts } from "../lists/texts.ts";
import { involvesAddress } from "./account-version.ts";
import type { TabProps } from "./tab-props.ts";
import { addressTexts } from "./texts.ts";

type AccountRow = RowOf<"GET /addresses/transactions/:address">;

const { transactions: texts } = addressTexts;

const FILTERS: readonly FilterName[] = ["type", "direction", "counterparty", "from", "to", "minAmount"];

const idOf = ({ id }: { readonly id: string }): string => id;

const pendingColumns: readonly Column<ShownTransaction>[] = [
  { head: commonTexts.time, kind: "time", cell: ({ timestamp }) => <Time at={timestamp} /> },
  {
    head: commonTexts.type,
    cell: (transaction) => <a href={transactionLink(transaction.id)}>{typeNameOf(transaction)}</a>,
  },
  { head: commonTexts.summary, cell: (transaction) => <Sentence parts={actionOf(transaction)} /> },
];

function OtherAccount({ row: { counterparty, recipients } }: { readonly row: AccountRow }) {
  if (counterparty !== undefined) return <Address value={counterparty} noCopy />;
  return recipients > 1 ? <span class="quiet">{listTexts.recipients(recipients)}</span> : null;
}

function MovedAmount({ row: { amount, leased } }: { readonly row: AccountRow }) {
  if (amount !== 0n) return <Amount value={amount} hasSign />;
  return leased === 0n ? null : (
    <span class="quiet" title={texts.leasedHint}>
      {texts.leased} <Amount value={leased} />
    </span>
  );
}

export const entryColumns: readonly Column<AccountRow>[] = [
  timeColumn,
  typeColumn,
  {
    head: commonTexts.direction,
    width: 80,
    cell: ({ direction }) => listTexts.directions[direction],
  },
  { head: listTexts.counterparty, kind: "id", cell: (row) => <OtherAccount row={row} /> },
  { head: commonTexts.amount, kind: "number", cell: (row) => <MovedAmount row={row} /> },
  numberColumn(commonTexts.fee, ({ fee }) => (fee === 0n ? undefined : <Amount value={fee} />)),
  numberColumn(texts.balance, ({ balance }) => balance !== undefined && <Amount value={balance} />),
  blockColumn,
];

/** Newest first. @param loaded pending transactions when the page loaded */
function pendingTransactions(
  loaded: readonly ShownTransaction[],
  live: Live,
  address: string,
): readonly ShownTransaction[] {
  const confirmed = new Set<string>();
  const pending = new Map<string, ShownTransaction>();
  for (const transaction of loaded) pending.set(transaction.id, transaction);
  for (const { transaction, height, reverted } of [...live.transactions.value].reverse()) {
    if (height !== undefined && !reverted) confirmed.add(transaction.id);
    else if (!pending.has(transaction.id) && involvesAddress(transaction, address))
      pending.set(transaction.id, transaction);
  }
  return [...pending.values()].filter(({ id }) => !confirmed.has(id)).reverse();
}

/** The list begins at the end of a window. */
const FIRST_ROWS = 10;
/** A larger pool is not searched for the account's transactions. */
const MAX_POOL_SCAN = 300;

async function loadPending({ node }: PageContext, address: string): Promise<readonly ShownTransaction[]> {
  const { size } = await node.client.call("GET /transactions/unconfirmed/size");
  if (size === 0 || size > MAX_POOL_SCAN) return [];
  const pool = await node.client.call("GET /transactions/unconfirmed");
  return pool.filter((transaction) => involvesAddress(transaction, address));
}

function Pending({ address, context, options }: TabProps) {
  const loaded = useQuery(context, `${address} pending`, () => loadPending(context, address), options);
  return (
    <Attempted
      attempt={loaded}
      lines={0}
      render={(known) => {
        const pending = pendingTransactions(known, context.live, address);
        if (pending.length === 0) return null;
        return (
          <section class="pending-transactions">
            <h3>{texts.pending}</h3>
            <Table caption={texts.pending} columns={pendingColumns} rows={pending} keyOf={idOf} />
          </section>
        );
      }}
    />
  );
}

function Totals(props: TabProps & { readonly filters: FilterValues }) {
  const { address, context, options, filters } = props;
  const { from, to } = filters;
  const request = { params: { address }, query: { from, to } };
  const totals = useAnswer(context, options, "GET /addresses/totals/:address", request);
  return (
    <details>
      <summary>{texts.totals}</summary>
      <Attempted
        attempt={totals}
        lines={4}
        render={({ received, sent, fees, other, transactions, complete }) => (
          <>
            <FieldList
              rows={[
                [commonTexts.transactions, numberText(transactions)],
                [texts.received, <Amount value={received.amount} />],
                [texts.sent, <Amount value={sent.amount} />],
                [texts.fees, <Amount value={fees} />],
                [texts.other, other !== undefined && <Amount value={other} hasSign />],
              ]}
            />
            {!complete && <p class="quiet">{texts.totalsPartial}</p>}
          </>
        )}
      />
    </details>
  );
}

export function Transactions(props: TabProps) {
  const { address, context, options, query } = props;
  const filters = readFilters(query, FILTERS);
  const request = { params: { address }, query: filterParameters(filters) };
  const list = useList(context, options, "GET /addresses/transactions/:address", request);
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <>
      <Pending {...props} />
      <FilterForm
        names={FILTERS}
        values={filters}
        linkTo={(values) => pageLink(["address", address], { tab: "transactions", ...values })}
      />
      <NodeTable
        list={list}
        caption={texts.caption}
        columns={entryColumns}
        firstRows={FIRST_ROWS}
        keyOf={idOf}
        empty={isFiltered ? listTexts.emptyTransactions : texts.empty}
      >
        <Totals {...props} filters={filters} />
      </NodeTable>
    </>
  );
}
