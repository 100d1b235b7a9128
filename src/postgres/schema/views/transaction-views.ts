/** Transactions and what they contain. */
import { definitions } from "../../../transactions/registry.ts";
import { quoteText } from "../statements.ts";
import {
  BLOCK_TIME,
  DAY,
  FINAL,
  HEIGHT,
  IN_UNITS,
  isFinal,
  joinAccount,
  leftJoinAccount,
  POSITION,
  T,
  type View,
} from "./view.ts";

const place = { height: HEIGHT, position: POSITION };
const INDEX = "Place in the transaction, from 0";
const TRANSACTION_ID = "Id of the transaction";
const SENDER = "Address of the transaction's sender";

const typeNames = definitions.map(({ type, name }) => `when ${type} then ${quoteText(name)}`).join(" ");

/** PostgreSQL drops these joins if a query reads none of their columns. */
const withTransaction = (alias: string): string =>
  `left join ${T}.transaction t on t.height = ${alias}.height and t.position = ${alias}.position
left join ${T}.block b on b.height = ${alias}.height`;

export const transactionViews: readonly View[] = [
  {
    name: "transactions",
    comment: "Transactions. Find one by its id with transaction_by_id.",
    columns: {
      ...place,
      id: TRANSACTION_ID,
      type: "Type of the transaction",
      type_name: "Name of the type",
      version: "Version of the layout",
      sender: "Address of the sender; null in the genesis block",
      sponsor: "Address of the account that paid the fee, if it was not the sender",
      fee: `Fee in the transaction, ${IN_UNITS}`,
      effective_fee: `Fee that was paid, ${IN_UNITS}`,
      time: "Time in the transaction, which its sender chose; null outside the years 1 to 9999",
      time_ms: "Time in the transaction, ms since 1970",
      block_time: BLOCK_TIME,
      final: FINAL,
    },
    query: `select t.height, t.position, t.id, t.type, case t.type ${typeNames} end as type_name, t.version,
  s.text as sender, p.text as sponsor, t.fee, t.effective_fee, t.time, t.time_ms, b.time as block_time,
  ${isFinal("t.height")}
from ${T}.transaction t ${leftJoinAccount("s", "t.sender")} ${leftJoinAccount("p", "t.sponsor")}
left join ${T}.block b on b.height = t.height`,
  },
  {
    name: "transaction_places",
    comment: "Places of transactions by the first 8 bytes of their ids, for transaction_by_id.",
    columns: { tag: "tag(id)", ...place, final: FINAL },
    query: `select p.tag, p.height, p.position, ${isFinal("p.height")} from ${T}.transaction_place p`,
  },
  {
    name: "account_transactions",
    comment:
      "Transactions of each account: those that it sent, received or paid for, and others that changed its balance or leases.",
    columns: { address: "Address of the account", ...place, final: FINAL },
    query: `select a.text as address, p.height, p.position, ${isFinal("p.height")}
from ${T}.transaction_account p ${joinAccount("a", "p.account")}`,
  },
  {
    name: "transfers",
    comment: "Tokens that transactions sent: payments, transfers, mass transfers, and the genesis block.",
    columns: {
      ...place,
      index: INDEX,
      transaction_id: TRANSACTION_ID,
      sender: "Address of the sender; null in the genesis block",
      recipient: "Address of the recipient",
      amount: `Amount, ${IN_UNITS}`,
      attachment: "Any bytes that the sender chose",
      attachment_text: "Attachment as text; null if it is empty or not valid text",
      block_time: BLOCK_TIME,
      final: FINAL,
    },
    query: `select x.height, x.position, x.index, t.id as transaction_id, s.text as sender, r.text as recipient, x.amount,
  x.attachment, x.attachment_text, b.time as block_time, ${isFinal("x.height")}
from ${T}.transfer x ${leftJoinAccount("s", "x.sender")} ${joinAccount("r", "x.recipient")}
${withTransaction("x")}`,
  },
  {
    name: "burns",
    comment: "Tokens that burn transactions destroyed.",
    columns: {
      ...place,
      transaction_id: TRANSACTION_ID,
      sender: SENDER,
      amount: `Amount, ${IN_UNITS}`,
      block_time: BLOCK_TIME,
      final: FINAL,
    },
    query: `select x.height, x.position, t.id as transaction_id, s.text as sender, x.amount, b.time as block_time,
  ${isFinal("x.height")}
from ${T}.burn x ${joinAccount("s", "x.sender")}
${withTransaction("x")}`,
  },
  {
    name: "anchors",
    comment: "Anchored hashes, with the values of mapped anchors. Find one by its hash with anchors_of.",
    columns: {
      hash: "Hash",
      ...place,
      index: INDEX,
      sender: SENDER,
      transaction_id: TRANSACTION_ID,
      block_time: BLOCK_TIME,
      tag: "tag(hash)",
      final: FINAL,
    },
    query: `select x.hash, x.height, x.position, x.index, s.text as sender, t.id as transaction_id, b.time as block_time,
  x.tag, ${isFinal("x.height")}
from ${T}.anchor x ${joinAccount("s", "x.sender")}
${withTransaction("x")}`,
  },
  {
    name: "mapped_anchors",
    comment: "Anchored hashes with their keys.",
    columns: {
      key: "Key",
      value: "Hash",
      ...place,
      index: INDEX,
      sender: SENDER,
      transaction_id: TRANSACTION_ID,
      block_time: BLOCK_TIME,
      tag: "tag(key)",
      final: FINAL,
    },
    query: `select x.key, x.value, x.height, x.position, x.index, s.text as sender, t.id as transaction_id,
  b.time as block_time, x.tag, ${isFinal("x.height")}
from ${T}.mapped_anchor x ${joinAccount("s", "x.sender")}
${withTransaction("x")}`,
  },
  {
    name: "anchors_by_day",
    comment: "Anchored hashes of each sender, by day.",
    columns: {
      day: "Day of the blocks, UTC",
      sender: SENDER,
      anchors: "Number of hashes",
      transactions: "Number of transactions",
      final: "True if all blocks of the row are persisted",
    },
    query: `select d.day, s.text as sender, d.anchors, d.transactions, ${isFinal("d.newest")}
from (select ${DAY} as day, x.sender, count(*) as anchors, count(distinct (x.height, x.position)) as transactions,
    max(x.height) as newest
  from ${T}.anchor x join ${T}.block b on b.height = x.height group by 1, 2) d
${joinAccount("s", "d.sender")}`,
  },
  {
    name: "statements",
    comment: "Statements.",
    columns: {
      ...place,
      transaction_id: TRANSACTION_ID,
      sender: SENDER,
      type: "Type of the statement",
      recipient: "Address of the account that it is about",
      subject: "What it is about, such as the id of a credential",
      time: "Time in the transaction; null outside the years 1 to 9999",
      block_time: BLOCK_TIME,
      final: FINAL,
    },
    query: `select x.height, x.position, t.id as transaction_id, s.text as sender, x.type, r.text as recipient, x.subject,
  t.time, b.time as block_time, ${isFinal("x.height")}
from ${T}.statement x ${joinAccount("s", "x.sender")} ${leftJoinAccount("r", "x.recipient")}
${withTransaction("x")}`,
  },
  {
    name: "claims",
    comment: "Data entries of associations and statements.",
    columns: {
      ...place,
      index: INDEX,
      key: "Key as UTF-8",
      key_text: "Key as text; null if PostgreSQL cannot store it",
      type: "integer, boolean, binary or string",
      integer_value: "Value of an integer",
      boolean_value: "Value of a boolean",
      binary_value: "Value of a binary",
      string_value: "Value of a string as UTF-8",
      string_text: "Value of a string as text; null if PostgreSQL cannot store it",
      final: FINAL,
    },
    query: `select x.height, x.position, x.index, x.key, x.key_text, x.type, x.integer_value, x.boolean_value,
  x.binary_value, x.string_value, x.string_text, ${isFinal("x.height")}
from ${T}.claim x`,
  },
];
