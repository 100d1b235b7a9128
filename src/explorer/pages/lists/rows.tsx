import type { JSX } from "preact";
import type { Answer } from "../../../client/index.ts";
import { typeText } from "../../describe/details.ts";
import { transactionLink } from "../../links.ts";
import { Address, Amount } from "../../parts/inline.tsx";
import { type Column, idColumn } from "../../parts/lists/table.tsx";
import { When, WhenHead } from "../../parts/time/when.tsx";
import { Height } from "../../parts/value.tsx";
import { commonTexts } from "../../text/common-texts.ts";
import { listTexts as texts } from "./texts.ts";

type TransactionRow = Answer<"GET /transactions/newest/rows">[number];

export const timeColumn: Column<Pick<TransactionRow, "timestamp">> = {
  head: <WhenHead />,
  label: commonTexts.time,
  kind: "time",
  width: 180,
  cell: ({ timestamp }) => <When at={timestamp} />,
};

export const typeColumn: Column<Pick<TransactionRow, "id" | "name">> = {
  head: commonTexts.type,
  cell: ({ id, name }) => <a href={transactionLink(id)}>{typeText(name)}</a>,
};

export const blockColumn: Column<Pick<TransactionRow, "height">> = {
  head: commonTexts.block,
  kind: "number",
  width: 90,
  cell: ({ height }) => <Height height={height} />,
};

function Recipient({ row: { recipient, recipients } }: { readonly row: TransactionRow }) {
  if (recipient !== undefined) return <Address value={recipient} noCopy />;
  return recipients === 0 ? null : <span class="quiet">{texts.recipients(recipients)}</span>;
}

/** Amounts of 0 mean that the type moves no tokens. */
const amountCell = (amount: bigint): JSX.Element | undefined =>
  amount === 0n ? undefined : <Amount value={amount} />;

export const transactionColumns: readonly Column<TransactionRow>[] = [
  timeColumn,
  typeColumn,
  idColumn(texts.sender, ({ sender }) => sender !== undefined && <Address value={sender} noCopy />),
  { head: texts.recipient, kind: "id", cell: (row) => <Recipient row={row} /> },
  { head: commonTexts.amount, kind: "number", cell: ({ amount }) => amountCell(amount) },
  { head: commonTexts.fee, kind: "number", cell: ({ fee }) => amountCell(fee) },
  blockColumn,
];
