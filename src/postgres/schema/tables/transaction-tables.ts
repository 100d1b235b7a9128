/** Blocks, transactions, and what transactions contain. */
import { column, defineTable, optional } from "../table.ts";

const place = {
  height: column("integer", "Height of the block"),
  position: column("integer", "Position of the transaction in its block, from 0"),
};
const index = column("integer", "Place in the transaction, from 0");
const sender = column("bigint", "Number of the sender's account");
const recipient = column("bigint", "Number of the recipient's account");

/** For undoing units. */
const byHeight = { name: "height", on: "height", using: "brin" } as const;

export const block = defineTable({
  name: "block",
  comment: "Blocks, with their micro blocks.",
  kind: { kind: "fact", place: "height" },
  columns: {
    height: column("integer", "Height of the block, from 1"),
    id: column("bytea", "Id up to the newest micro block, 64 bytes"),
    key_id: column("bytea", "Id of the key block alone, 64 bytes"),
    version: column("smallint", "Version of the layout"),
    time: optional("timestamptz(3)", "Time in the header; null outside the years 1 to 9999"),
    time_ms: column("bigint", "Time in the header, ms since 1970"),
    reference: column("bytea", "Id of the parent"),
    generator: column("bigint", "Number of the generator's account"),
    base_target: column("bigint", "Difficulty: a lower number is harder"),
    generation_signature: column("bytea", "Generation signature, 32 bytes"),
    features: column("smallint[]", "Features for which the block votes"),
    fee_vote: column("smallint", "Vote on the fee price"),
    size: column("integer", "Bytes, with micro blocks"),
    transaction_count: column("integer", "Number of transactions"),
    fees: column("numeric", "Fees of its transactions, in 10^-8 tokens"),
    burned: column("numeric", "The part of its fees that was burned, in 10^-8 tokens"),
    reward: column("numeric", "New tokens for its generator, in 10^-8 tokens"),
    generator_reward: column("numeric", "What its generator received, in 10^-8 tokens"),
    score: column("numeric", "2^64 / base target"),
  },
  key: ["height"],
  indexes: [
    { name: "id", on: "id", isUnique: true },
    { name: "time", on: "time" },
    { name: "generator", on: "generator, height" },
  ],
});

export const transaction = defineTable({
  name: "transaction",
  comment: "Transactions.",
  kind: { kind: "fact", place: "position" },
  columns: {
    ...place,
    sequence: column("integer", "Place of its unit in the block, as in unit"),
    id: column("bytea", "Id of the transaction"),
    type: column("smallint", "Type of the transaction"),
    version: column("smallint", "Version of the layout"),
    sender: optional("bigint", "Number of the sender's account; null in the genesis block"),
    sponsor: optional("bigint", "Number of the account that paid the fee, if it was not the sender"),
    fee: column("bigint", "Fee in the transaction, in 10^-8 tokens"),
    effective_fee: column("bigint", "Fee that was paid, in 10^-8 tokens"),
    time: optional("timestamptz(3)", "Time in the transaction; null outside the years 1 to 9999"),
    time_ms: column("bigint", "Time in the transaction, ms since 1970"),
  },
  key: ["height", "position"],
  isPartitioned: true,
});

export const transactionPlace = defineTable({
  name: "transaction_place",
  comment: "Places of transactions by the first bytes of their ids.",
  kind: { kind: "fact", place: "position" },
  columns: {
    tag: column("bigint", "First 8 bytes of the id: holdfast.tag(id)"),
    ...place,
  },
  key: ["tag", "height", "position"],
  isKeyLate: true,
  indexes: [byHeight],
});

export const transactionAccount = defineTable({
  name: "transaction_account",
  comment:
    "Places of transactions by account: sender, recipients, payer, and others whose balance or leases changed.",
  kind: { kind: "fact", place: "position" },
  columns: {
    account: column("bigint", "Number of the account"),
    ...place,
  },
  key: ["account", "height", "position"],
  isKeyLate: true,
  isPartitioned: true,
  indexes: [byHeight],
});

export const transfer = defineTable({
  name: "transfer",
  comment: "Tokens that transactions sent: payments, transfers, mass transfers, and the genesis block.",
  kind: { kind: "fact", place: "position" },
  columns: {
    ...place,
    index,
    sender: optional("bigint", "Number of the sender's account; null in the genesis block"),
    recipient,
    amount: column("bigint", "Amount in 10^-8 tokens"),
    attachment: column("bytea", "Any bytes that the sender chose; may be empty"),
    attachment_text: optional("text", "Attachment as text; null if it is empty or not valid text"),
  },
  key: ["height", "position", "index"],
  isPartitioned: true,
});

export const anchor = defineTable({
  name: "anchor",
  comment: "Anchored hashes: of anchor transactions, and the values of mapped anchors.",
  kind: { kind: "fact", place: "position" },
  columns: {
    tag: column("bigint", "First 8 bytes of the hash: holdfast.tag(hash)"),
    ...place,
    index,
    hash: column("bytea", "Hash, at most 80 bytes"),
    sender,
  },
  key: ["tag", "height", "position", "index"],
  isKeyLate: true,
  indexes: [byHeight, { name: "sender", on: "sender, height" }],
});

export const mappedAnchor = defineTable({
  name: "mapped_anchor",
  comment: "Anchored hashes with their keys.",
  kind: { kind: "fact", place: "position" },
  columns: {
    tag: column("bigint", "First 8 bytes of the key: holdfast.tag(key)"),
    ...place,
    index,
    key: column("bytea", "Key, at most 80 bytes"),
    value: column("bytea", "Hash, at most 80 bytes"),
    sender,
  },
  key: ["tag", "height", "position", "index"],
  isKeyLate: true,
  indexes: [byHeight, { name: "sender", on: "sender, height" }],
});

export const lease = defineTable({
  name: "lease",
  comment: "Leases, including cancelled ones.",
  kind: { kind: "fact", place: "position" },
  marks: [{ height: "cancelled_height", position: "cancelled_position" }],
  columns: {
    ...place,
    id: column("bytea", "Id of the lease: the id of its transaction"),
    sender,
    recipient,
    amount: column("bigint", "Amount in 10^-8 tokens"),
    cancelled_height: optional("integer", "Height of the block that cancelled it; null while it is in force"),
    cancelled_position: optional("integer", "Position of the transaction that cancelled it"),
  },
  key: ["height", "position"],
  indexes: [
    { name: "id", on: "id" },
    { name: "sender", on: "sender" },
    { name: "recipient", on: "recipient" },
    { name: "cancelled", on: "cancelled_height", where: "cancelled_height is not null" },
  ],
});

export const association = defineTable({
  name: "association",
  comment: "Transactions that issue and revoke associations.",
  kind: { kind: "fact", place: "position" },
  columns: {
    ...place,
    revokes: column("boolean", "True if the transaction revokes the association"),
    sender,
    type: column("bigint", "Type of the association"),
    recipient,
    subject: optional("bytea", "What the association is about"),
    expires: optional(
      "timestamptz(3)",
      "End of the association; null if it has none, or one outside the years 1 to 9999",
    ),
    expires_ms: optional("bigint", "End of the association, ms since 1970; null if it has none"),
  },
  key: ["height", "position"],
  indexes: [
    { name: "sender", on: "sender, type, recipient, height" },
    { name: "recipient", on: "recipient, height" },
  ],
});

/** Exactly one of the first four values is not null. `string_text` repeats `string_value`. */
const entry = {
  key: column("bytea", "Key of the entry as UTF-8, with U+FFFD in place of invalid bytes"),
  key_text: optional("text", "Key as text; null if PostgreSQL cannot store it"),
  type: column("text", "integer, boolean, binary or string"),
  integer_value: optional("bigint", "Value of an integer"),
  boolean_value: optional("boolean", "Value of a boolean"),
  binary_value: optional("bytea", "Value of a binary"),
  string_value: optional("bytea", "Value of a string, as the key"),
  string_text: optional("text", "Value of a string as text; null if PostgreSQL cannot store it"),
};

export const dataEntry = defineTable({
  name: "data_entry",
  comment: "Entries that data transactions set on the accounts of their senders.",
  kind: { kind: "fact", place: "position" },
  columns: { ...place, index, account: column("bigint", "Number of the account"), ...entry },
  key: ["height", "position", "index"],
  isPartitioned: true,
  indexes: [{ name: "account", on: "account, key, height, position" }],
});

export const statement = defineTable({
  name: "statement",
  comment: "Statements.",
  kind: { kind: "fact", place: "position" },
  columns: {
    ...place,
    sender,
    type: column("bigint", "Type of the statement"),
    recipient: optional("bigint", "Number of the account that it is about"),
    subject: optional("bytea", "What it is about, such as the id of a credential"),
  },
  key: ["height", "position"],
  indexes: [
    { name: "sender", on: "sender, height" },
    { name: "subject", on: "subject" },
    { name: "recipient", on: "recipient, height", where: "recipient is not null" },
  ],
});

export const claim = defineTable({
  name: "claim",
  comment: "Data entries of associations and statements.",
  kind: { kind: "fact", place: "position" },
  columns: { ...place, index, ...entry },
  key: ["height", "position", "index"],
});

export const sponsorship = defineTable({
  name: "sponsorship",
  comment: "Transactions that begin and end sponsorships of accounts.",
  kind: { kind: "fact", place: "position" },
  columns: {
    ...place,
    cancels: column("boolean", "True if the transaction ends the sponsorship"),
    sender,
    recipient,
  },
  key: ["height", "position"],
  indexes: [
    { name: "recipient", on: "recipient, sender, height" },
    { name: "sender", on: "sender, height" },
  ],
});

export const script = defineTable({
  name: "script",
  comment: "Transactions that set and remove scripts of accounts.",
  kind: { kind: "fact", place: "position" },
  columns: {
    ...place,
    account: column("bigint", "Number of the account"),
    script: optional("bytea", "Bytes of the script; null if the transaction removes it"),
  },
  key: ["height", "position"],
  indexes: [{ name: "account", on: "account, height" }],
});

export const certificate = defineTable({
  name: "certificate",
  comment: "Transactions that set and remove X.509 certificates of accounts.",
  kind: { kind: "fact", place: "position" },
  columns: {
    ...place,
    account: column("bigint", "Number of the account"),
    certificate: optional("bytea", "DER or BER as received; null if the transaction removes it"),
  },
  key: ["height", "position"],
  indexes: [{ name: "account", on: "account, height" }],
});

export const burn = defineTable({
  name: "burn",
  comment: "Tokens that burn transactions destroyed.",
  kind: { kind: "fact", place: "position" },
  columns: { ...place, sender, amount: column("bigint", "Amount in 10^-8 tokens") },
  key: ["height", "position"],
  indexes: [{ name: "sender", on: "sender, height" }],
});

export const register = defineTable({
  name: "register",
  comment: "Public keys that register transactions published.",
  kind: { kind: "fact", place: "position" },
  columns: {
    ...place,
    index,
    sender,
    account: column("bigint", "Number of the key's account"),
    key_type: column("text", "ed25519, secp256k1, secp256r1 or bls12-381"),
    public_key: column("bytea", "Public key"),
  },
  key: ["height", "position", "index"],
  indexes: [{ name: "account", on: "account" }],
});
