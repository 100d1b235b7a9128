/** Live list of transactions from pool and chain, with a filter by type. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { Answer } from "../../../client/index.ts";
import { typeNameOf } from "../../describe/details.ts";
import { actionOf } from "../../describe/sentence.ts";
import { blockLink, transactionLink } from "../../links.ts";
import type { Live, LiveTransaction } from "../../page.ts";
import { PausableList } from "../../parts/pausable-list.tsx";
import { Sentence } from "../../parts/sentence.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Age } from "../../parts/time/time.tsx";
import { countText, numberText } from "../../text/measures.ts";

/** Most rows; older transactions are on the pages of their blocks. */
const MAX_ROWS = 50;

/** Link to the block, or the state of an unconfirmed or reverted transaction. */
function TransactionPlace({ transaction }: { readonly transaction: LiveTransaction }): JSX.Element {
  const { height, reverted, replacedBy } = transaction;
  if (reverted)
    return (
      <span class="wrong">
        reverted
        {replacedBy !== undefined && (
          <>
            {" "}
            by <a href={blockLink(replacedBy)}>another block</a>
          </>
        )}
      </span>
    );
  if (height === undefined) return <span class="unsettled">in the pool</span>;
  return <a href={blockLink(height)}>{numberText(height)}</a>;
}

const columns: readonly Column<LiveTransaction>[] = [
  { head: "Age", kind: "time", cell: ({ transaction }) => <Age at={transaction.timestamp} /> },
  {
    head: "Type",
    cell: ({ transaction }) => <a href={transactionLink(transaction.id)}>{typeNameOf(transaction)}</a>,
  },
  { head: "What", kind: "id", cell: ({ transaction }) => <Sentence parts={actionOf(transaction)} /> },
  { head: "Block", kind: "number", cell: (transaction) => <TransactionPlace transaction={transaction} /> },
];

/** Appends confirmed transactions to the live ones, each id once. */
export function mergeOlder(
  live: readonly LiveTransaction[],
  older: Answer<"GET /transactions/newest">,
): readonly LiveTransaction[] {
  const known = new Set(live.map(({ transaction }) => transaction.id));
  const unknown = older.filter(({ id }) => !known.has(id));
  const heights = new Map(older.map(({ id, height }) => [id, height]));
  return [
    // A pending one may have been confirmed while the event stream was down.
    ...live.map((one) => ({ ...one, height: one.height ?? heights.get(one.transaction.id) })),
    ...unknown.map((transaction) => ({ transaction, height: transaction.height, reverted: false })),
  ];
}

/** Newest transactions as they arrive, then older ones. */
export function LiveTransactions(props: {
  readonly live: Live;
  readonly older: Answer<"GET /transactions/newest">;
}): JSX.Element {
  const { live, older } = props;
  const chosen = useSignal("");
  const all = mergeOlder(live.transactions.value, older);
  const types = [...new Set(all.map(({ transaction }) => typeNameOf(transaction)))].sort();
  if (chosen.value !== "" && !types.includes(chosen.value)) types.push(chosen.value);
  const wanted = all.filter(
    ({ transaction }) => chosen.value === "" || typeNameOf(transaction) === chosen.value,
  );
  const missed = live.missed.value;
  return (
    <section class="panel live">
      <div class="head">
        <h2>Transactions, live</h2>
        <label>
          <span class="unseen">Show</span>
          <select
            value={chosen.value}
            onChange={(event) => {
              chosen.value = event.currentTarget.value;
            }}
          >
            <option value="">all types</option>
            {types.map((type) => (
              <option key={type} value={type}>
                {type}
              </option>
            ))}
          </select>
        </label>
      </div>
      <PausableList
        rows={wanted.slice(0, MAX_ROWS)}
        keyOf={({ transaction }) => transaction.id}
        list={chosen.value}
        what="transaction"
        draw={(rows) => (
          <Table
            caption="Newest transactions"
            columns={columns}
            rows={rows}
            keyOf={({ transaction }) => transaction.id}
            classOf={({ reverted }) => (reverted ? "reverted" : undefined)}
            empty="There is none yet. What is sent to the node stands here in the same second."
          />
        )}
      />
      {missed > 0 && (
        <p class="quiet">
          {countText(missed, "transaction")} came to the pool faster than they could be shown.
        </p>
      )}
    </section>
  );
}
