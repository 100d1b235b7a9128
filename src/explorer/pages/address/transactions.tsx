import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { ShownTransaction } from "../../describe/details.ts";
import { typeNameOf } from "../../describe/details.ts";
import { actionOf } from "../../describe/sentence.ts";
import type { Live } from "../../page.ts";
import { TransactionId } from "../../parts/id.tsx";
import { type ListPage, LongTable } from "../../parts/long-table.tsx";
import { Sentence } from "../../parts/sentence.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time/time.tsx";
import { Height } from "../../parts/value.tsx";
import { commonTexts } from "../../text/common-texts.ts";
import { involvesAddress } from "./involves-address.ts";
import type { ListedTransaction } from "./load.ts";
import type { TabProps } from "./tabs.tsx";
import { addressTexts } from "./texts.ts";

const { transactions: texts } = addressTexts;

const idOf = ({ id }: ShownTransaction): string => id;

const pendingColumns: readonly Column<ShownTransaction>[] = [
  { head: commonTexts.time, kind: "time", cell: ({ timestamp }) => <Time at={timestamp} /> },
  { head: commonTexts.type, cell: (transaction) => typeNameOf(transaction) },
  { head: commonTexts.summary, cell: (transaction) => <Sentence parts={actionOf(transaction)} /> },
  { head: commonTexts.id, kind: "id", cell: ({ id }) => <TransactionId value={id} noCopy /> },
];

const confirmedColumns: readonly Column<ListedTransaction>[] = [
  ...pendingColumns,
  { head: commonTexts.block, kind: "number", cell: ({ height }) => <Height height={height} /> },
];

/**
 * Returns the newest first.
 * @param loaded pending transactions when the page loaded
 * @param listed confirmed transactions
 */
function pendingTransactions(
  loaded: readonly ShownTransaction[],
  live: Live,
  address: string,
  listed: readonly ListedTransaction[],
): readonly ShownTransaction[] {
  const confirmed = new Set(listed.map(idOf));
  const pending = new Map<string, ShownTransaction>();
  for (const transaction of loaded) pending.set(transaction.id, transaction);
  for (const { transaction, height, reverted } of [...live.transactions.value].reverse()) {
    if (height !== undefined && !reverted) confirmed.add(transaction.id);
    else if (!pending.has(transaction.id) && involvesAddress(transaction, address))
      pending.set(transaction.id, transaction);
  }
  return [...pending.values()].filter(({ id }) => !confirmed.has(id)).reverse();
}

/** Adds transactions that were confirmed after the list was loaded, and drops reverted ones. */
function withLiveRows(first: ListPage<ListedTransaction>, live: Live, address: string): typeof first {
  const states = new Map(live.transactions.value.map((entry) => [entry.transaction.id, entry]));
  const listed = first.rows.filter(({ id }) => states.get(id)?.reverted !== true);
  const ids = new Set(listed.map(idOf));
  const added = live.transactions.value.flatMap(({ transaction, height, reverted }) =>
    height === undefined || reverted || ids.has(transaction.id) || !involvesAddress(transaction, address)
      ? []
      : [{ ...transaction, height }],
  );
  return added.length === 0 && listed.length === first.rows.length
    ? first
    : { ...first, rows: [...added, ...listed] };
}

export function Transactions({ address, tab, lists, live }: TabProps<"transactions">): JSX.Element {
  const first = useMemo(
    () => withLiveRows(tab.first, live, address),
    [tab.first, live.transactions.value, address],
  );
  const pending = pendingTransactions(tab.pending, live, address, first.rows);
  return (
    <>
      {pending.length > 0 && (
        <section class="pending-transactions">
          <h3>{texts.pending}</h3>
          <Table caption={texts.pending} columns={pendingColumns} rows={pending} keyOf={idOf} />
        </section>
      )}
      <LongTable
        classes="transactions"
        caption={texts.caption}
        columns={confirmedColumns}
        first={first}
        total={tab.total}
        loadPage={(cursor) => lists.loadTransactions(cursor)}
        keyOf={idOf}
        empty={texts.empty}
      />
    </>
  );
}
