import { useMemo } from "preact/hooks";
import { type ShownTransaction, typeNameOf } from "../../describe/details.ts";
import { actionOf } from "../../describe/sentence.ts";
import { transactionLink } from "../../links.ts";
import { Amount } from "../../parts/inline.tsx";
import { LongTable } from "../../parts/lists/long-table.tsx";
import { type Column, numberColumn } from "../../parts/lists/table.tsx";
import { Sentence } from "../../parts/sentence.tsx";
import { commonTexts } from "../../text/common-texts.ts";
import { numberText } from "../../text/text.ts";
import { blockTexts } from "./texts.ts";

const { transactions: texts } = blockTexts;

const feeOf = ({ effectiveFee, fee }: ShownTransaction): bigint =>
  typeof effectiveFee === "bigint" ? effectiveFee : fee;

interface Row {
  readonly transaction: ShownTransaction;
  readonly index: number;
}

const columns: readonly Column<Row>[] = [
  { head: texts.index, kind: "number", width: 60, cell: ({ index }) => numberText(index) },
  {
    head: commonTexts.type,
    width: 180,
    cell: ({ transaction }) => <a href={transactionLink(transaction.id)}>{typeNameOf(transaction)}</a>,
  },
  { head: commonTexts.summary, cell: ({ transaction }) => <Sentence parts={actionOf(transaction)} /> },
  numberColumn(commonTexts.fee, ({ transaction }) => <Amount value={feeOf(transaction)} />, 110),
];

export function Transactions({ list }: { readonly list: readonly ShownTransaction[] }) {
  const first = useMemo(
    () => ({ rows: list.map((transaction, index) => ({ transaction, index })), next: undefined }),
    [list],
  );
  return (
    <section class="panel">
      <h2>
        {commonTexts.transactions} <span class="count">{numberText(list.length)}</span>
      </h2>
      <LongTable
        caption={texts.caption}
        columns={columns}
        first={first}
        loadPage={async () => first}
        keyOf={({ transaction }) => transaction.id}
        empty={texts.empty}
      />
    </section>
  );
}
