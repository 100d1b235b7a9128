import { useSignal } from "@preact/signals";
import type { Answer } from "../../../client/index.ts";
import { typeNameOf } from "../../describe/details.ts";
import { actionOf } from "../../describe/sentence.ts";
import { blockLink, transactionLink } from "../../links.ts";
import type { Live, LiveTransaction } from "../../page.ts";
import { Age } from "../../parts/inline.tsx";
import { PausableList } from "../../parts/lists/pausable-list.tsx";
import { type Column, idColumn, numberColumn, Table } from "../../parts/lists/table.tsx";
import { Sentence } from "../../parts/sentence.tsx";
import { Height } from "../../parts/value.tsx";
import { commonTexts } from "../../text/common-texts.ts";
import { fill } from "../../text/text.ts";
import { listTexts } from "../lists/texts.ts";
import { overviewTexts } from "./texts.ts";

const { transactions: texts } = overviewTexts;

const MAX_ROWS = 30;

function TransactionStatus({ transaction }: { readonly transaction: LiveTransaction }) {
  const { height, reverted, replacedBy } = transaction;
  if (reverted)
    return (
      <span class="wrong">
        {replacedBy === undefined
          ? texts.reverted
          : fill(texts.revertedBy, { block: <a href={blockLink(replacedBy)}>{texts.otherBlock}</a> })}
      </span>
    );
  return height === undefined ? <span class="unsettled">{texts.pending}</span> : <Height height={height} />;
}

const columns: readonly Column<LiveTransaction>[] = [
  { head: commonTexts.age, kind: "time", cell: ({ transaction }) => <Age at={transaction.timestamp} /> },
  {
    head: commonTexts.type,
    cell: ({ transaction }) => <a href={transactionLink(transaction.id)}>{typeNameOf(transaction)}</a>,
  },
  idColumn(commonTexts.summary, ({ transaction }) => <Sentence parts={actionOf(transaction)} />),
  numberColumn(commonTexts.block, (transaction) => <TransactionStatus transaction={transaction} />),
];

export function mergeOlder(
  live: readonly LiveTransaction[],
  older: Answer<"GET /transactions/newest">,
): readonly LiveTransaction[] {
  const liveIds = new Set(live.map(({ transaction }) => transaction.id));
  const notLive = older.filter(({ id }) => !liveIds.has(id));
  const heights = new Map(older.map(({ id, height }) => [id, height]));
  return [
    // A pending transaction may be confirmed while the event stream is disconnected.
    ...live.map((entry) => {
      const height = entry.height ?? heights.get(entry.transaction.id);
      return height === entry.height ? entry : { ...entry, height };
    }),
    ...notLive.map((transaction) => ({ transaction, height: transaction.height, reverted: false })),
  ];
}

export function LiveTransactions(props: {
  readonly live: Live;
  readonly older: Answer<"GET /transactions/newest">;
}) {
  const { live, older } = props;
  const selectedType = useSignal("");
  const all = mergeOlder(live.transactions.value, older);
  const types = [...new Set(all.map(({ transaction }) => typeNameOf(transaction)))].sort();
  if (selectedType.value !== "" && !types.includes(selectedType.value)) types.push(selectedType.value);
  const matching = all.filter(
    ({ transaction }) => selectedType.value === "" || typeNameOf(transaction) === selectedType.value,
  );
  const missed = live.missed.value;
  return (
    <section class="panel live">
      <div class="head">
        <h2>{texts.title}</h2>
        <label>
          <span class="visually-hidden">{texts.filter}</span>
          <select
            value={selectedType.value}
            onChange={(event) => (selectedType.value = event.currentTarget.value)}
          >
            <option value="">{listTexts.allTypes}</option>
            {types.map((type) => (
              <option key={type} value={type}>
                {type}
              </option>
            ))}
          </select>
        </label>
      </div>
      <PausableList
        rows={matching.slice(0, MAX_ROWS)}
        keyOf={({ transaction }) => transaction.id}
        list={selectedType.value}
        label={texts.title}
        newText={texts.newRows}
        render={(rows) => (
          <Table
            caption={texts.caption}
            columns={columns}
            rows={rows}
            keyOf={({ transaction }) => transaction.id}
            classOf={({ reverted }) => (reverted ? "reverted" : undefined)}
            empty={texts.empty}
          />
        )}
      />
      {missed > 0 && <p class="quiet">{commonTexts.missedTransactions(missed)}</p>}
    </section>
  );
}
