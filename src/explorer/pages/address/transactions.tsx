import { useQuery } from "../../data/use-query.ts";
import type { ShownTransaction } from "../../describe/details.ts";
import { typeNameOf } from "../../describe/details.ts";
import { actionOf } from "../../describe/sentence.ts";
import { pageLink, transactionLink } from "../../links.ts";
import type { Live } from "../../page.ts";
import { Address, Amount, Time } from "../../parts/inline.tsx";
import { LongTable } from "../../parts/lists/long-table.tsx";
import { type Column, FieldList, numberColumn, Table } from "../../parts/lists/table.tsx";
import { Attempted } from "../../parts/panel.tsx";
import { Sentence } from "../../parts/sentence.tsx";
import { commonTexts } from "../../text/common-texts.ts";
import { numberText } from "../../text/text.ts";
import {
  ExportLinks,
  FilterForm,
  type FilterName,
  type FilterValues,
  readFilters,
} from "../lists/filters.tsx";
import { blockColumn, timeColumn, typeColumn } from "../lists/rows.tsx";
import { listTexts } from "../lists/texts.ts";
import { involvesAddress } from "./account-version.ts";
import type { AccountRow, TabProps } from "./load.ts";
import { addressTexts } from "./texts.ts";

const { transactions: texts } = addressTexts;

const FILTERS: readonly FilterName[] = ["type", "direction", "counterparty", "from", "to", "minAmount"];
const MIN_LIST_RELOAD_MS = 15_000;

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
  { head: texts.direction, width: 80, cell: ({ direction }) => listTexts.directions[direction] },
  { head: texts.counterparty, kind: "id", cell: (row) => <OtherAccount row={row} /> },
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

function Totals(props: TabProps<"transactions"> & { readonly filters: FilterValues }) {
  const { address, lists, context, version, filters } = props;
  const key = `${address} totals ${filters.from} ${filters.to}`;
  const totals = useQuery(context, key, () => lists.loadTotals(filters), {
    version,
    minIntervalMs: MIN_LIST_RELOAD_MS,
  });
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

export function Transactions(props: TabProps<"transactions">) {
  const { address, tab, lists, live, context, version, query } = props;
  const pending = pendingTransactions(tab.pending, live, address);
  const filters = readFilters(query, FILTERS);
  const filterKey = JSON.stringify(filters);
  const first = useQuery(context, `${address} entries ${filterKey}`, () => lists.loadTransactions(filters), {
    version,
    minIntervalMs: MIN_LIST_RELOAD_MS,
  });
  return (
    <>
      {pending.length > 0 && (
        <section class="pending-transactions">
          <h3>{texts.pending}</h3>
          <Table caption={texts.pending} columns={pendingColumns} rows={pending} keyOf={idOf} />
        </section>
      )}
      <FilterForm
        names={FILTERS}
        values={filters}
        linkTo={(values) => pageLink(["address", address], { tab: "transactions", ...values })}
      />
      <Attempted
        attempt={first}
        lines={20}
        render={(page) => (
          <LongTable
            key={filterKey}
            caption={texts.caption}
            columns={entryColumns}
            first={page}
            loadPage={(...page) => lists.loadTransactions(filters, ...page)}
            keyOf={idOf}
            empty={filterKey === "{}" ? texts.empty : listTexts.emptyTransactions}
          />
        )}
      />
      <Totals {...props} filters={filters} />
      <ExportLinks context={context} path={`addresses/transactions/${address}`} values={filters} />
    </>
  );
}
