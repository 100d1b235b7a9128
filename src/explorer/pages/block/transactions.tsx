import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { type ShownTransaction, typeNameOf } from "../../describe/details.ts";
import { actionOf } from "../../describe/sentence.ts";
import { Amount } from "../../parts/amount.tsx";
import { TransactionId } from "../../parts/id.tsx";
import { type Column, TableBody, TableHead } from "../../parts/lists/table.tsx";
import { Sentence } from "../../parts/sentence.tsx";
import { commonTexts } from "../../text/common-texts.ts";
import { numberText } from "../../text/measures.ts";
import { blockTexts } from "./texts.ts";

const { transactions: texts } = blockTexts;

/** Number of rows shown at first. */
const CHUNK_SIZE = 100;

const feeOf = ({ effectiveFee, fee }: ShownTransaction): bigint =>
  typeof effectiveFee === "bigint" ? effectiveFee : fee;

interface Row {
  readonly transaction: ShownTransaction;
  readonly index: number;
}

const columns: readonly Column<Row>[] = [
  { head: texts.index, kind: "number", cell: ({ index }) => numberText(index) },
  { head: commonTexts.type, cell: ({ transaction }) => typeNameOf(transaction) },
  { head: commonTexts.summary, cell: ({ transaction }) => <Sentence parts={actionOf(transaction)} /> },
  { head: commonTexts.fee, kind: "number", cell: ({ transaction }) => <Amount value={feeOf(transaction)} /> },
  {
    head: commonTexts.id,
    kind: "id",
    cell: ({ transaction }) => <TransactionId value={transaction.id} noCopy />,
  },
];

/** See `Batch` in `parts/lists/long-table.tsx`. */
function Chunk(props: { readonly list: readonly ShownTransaction[]; readonly from: number }): JSX.Element {
  const { list, from } = props;
  return useMemo(() => {
    const chunk = list.slice(from, from + CHUNK_SIZE);
    const rows = chunk.map((transaction, i) => ({ transaction, index: from + i }));
    return <TableBody columns={columns} rows={rows} keyOf={({ transaction }) => transaction.id} />;
  }, [list, from]);
}

export function Transactions({ list }: { readonly list: readonly ShownTransaction[] }): JSX.Element {
  const showsAll = useSignal(false);
  const shownCount = useSignal(CHUNK_SIZE);
  const hasMore = shownCount.value < list.length;
  useEffect(() => {
    if (!showsAll.value || !hasMore) return undefined;
    const timer = setTimeout(() => (shownCount.value += CHUNK_SIZE), 0);
    return () => clearTimeout(timer);
  }, [showsAll.value, shownCount.value, hasMore]);
  const chunks = Array.from(
    { length: Math.ceil(Math.min(shownCount.value, list.length) / CHUNK_SIZE) },
    (_, i) => i,
  );
  return (
    <section class="panel">
      <h2>
        {commonTexts.transactions} <span class="count">{numberText(list.length)}</span>
      </h2>
      {list.length === 0 ? (
        <p class="quiet">{texts.empty}</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll container must be reachable by keyboard
        <section class="scrolled" tabIndex={0} aria-label={texts.caption}>
          <table class="block-transactions">
            <caption class="visually-hidden">{texts.caption}</caption>
            <TableHead columns={columns} />
            {chunks.map((i) => (
              <Chunk key={i} list={list} from={CHUNK_SIZE * i} />
            ))}
          </table>
        </section>
      )}
      {hasMore && (
        <p>
          <button type="button" disabled={showsAll.value} onClick={() => (showsAll.value = true)}>
            {commonTexts.showAll(list.length)}
          </button>
        </p>
      )}
    </section>
  );
}
