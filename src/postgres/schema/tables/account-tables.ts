/** Accounts and their balances. */
import { column, defineTable, optional } from "../table.ts";

const amounts = {
  balance: column("bigint", "Regular balance in 10^-8 tokens"),
  lease_in: column("bigint", "Leased to the account, in 10^-8 tokens"),
  lease_out: column("bigint", "Leased by the account to others, in 10^-8 tokens"),
  unbonding: column(
    "bigint",
    "Cancelled leases that still count for the generating balance, in 10^-8 tokens",
  ),
};

export const account = defineTable({
  name: "account",
  comment: "Numbers of addresses. They depend on the order of filling: never compare them between databases.",
  kind: { kind: "kept" },
  columns: {
    id: column("bigint", "Number of the account, from 1"),
    address: column("bytea", "Address, 26 bytes"),
    text: column("text", "Address in Base58"),
  },
  key: ["id"],
  indexes: [
    { name: "address", on: "address", isUnique: true },
    { name: "text", on: "text", isUnique: true },
  ],
});

export const accountChange = defineTable({
  name: "account_change",
  comment: "Balances of accounts after each unit that changed them.",
  kind: { kind: "fact", place: "sequence" },
  columns: {
    account: column("bigint", "Number of the account"),
    height: column("integer", "Height of the block"),
    sequence: column("integer", "Place of the unit in its block"),
    ...amounts,
  },
  key: ["account", "height", "sequence"],
  isKeyLate: true,
  isPartitioned: true,
  indexes: [{ name: "height", on: "height", using: "brin" }],
});

export const accountState = defineTable({
  name: "account_state",
  comment: "Balances of accounts now.",
  kind: { kind: "state", key: "account" },
  columns: {
    account: column("bigint", "Number of the account"),
    height: column("integer", "Height of the newest change"),
    sequence: column("integer", "Place of its unit in the block"),
    ...amounts,
  },
  key: ["account"],
  indexes: [{ name: "balance", on: "balance" }],
});

export const accountKey = defineTable({
  name: "account_key",
  comment: "Public keys of accounts: the first one seen in a transaction.",
  kind: { kind: "fact", place: "position" },
  columns: {
    account: column("bigint", "Number of the account"),
    height: column("integer", "Height of the block"),
    position: column("integer", "Position of the transaction in its block"),
    key_type: column("text", "ed25519, secp256k1, secp256r1 or bls12-381"),
    public_key: column("bytea", "Public key"),
    time: optional("timestamptz(3)", "Time in the transaction; null outside the years 1 to 9999"),
    time_ms: column("bigint", "Time in the transaction, ms since 1970"),
  },
  key: ["account"],
  indexes: [{ name: "height", on: "height" }],
});

export const role = defineTable({
  name: "role",
  comment: "Roles of the trust network that accounts hold now.",
  kind: { kind: "state", key: "account" },
  columns: {
    account: column("bigint", "Number of the account that holds the role"),
    role: column("text", "Name of the role"),
    sender: column("bigint", "Number of the account that granted it"),
    type: column("bigint", "Type of the association that granted it"),
  },
  key: ["account", "role"],
});
