/** Tables that gateways read: the mirror's position, its settings, and units in protocol bytes. */
import { column, defineTable, optional } from "../table.ts";

export const chain = defineTable({
  name: "chain",
  comment: "One row: the newest unit in this database. Every transaction of the mirror sets it.",
  kind: { kind: "kept" },
  columns: {
    network: column("text", "Name of the network"),
    genesis: column("bytea", "Id of the genesis block, 64 bytes"),
    height: column("integer", "Height of the newest unit; 0 if there is none"),
    sequence: column(
      "integer",
      "Place in its block: 0 key block, 1 and above micro blocks, 65535 persist unit",
    ),
    id: column("bytea", "Id of the newest unit; empty at height 0"),
    persisted_height: column(
      "integer",
      "Height of the newest persisted block: no micro block can be added to it, but a fork may replace it",
    ),
    score: column("numeric", "Sum of 2^64 / base target of all blocks"),
    state: column("text", "filling (tables are incomplete), indexing (queries are slow), or live"),
    source: column("text", "Id of the store that the mirror reads; a rebuilt store has another one"),
    epoch: column("bigint", "Rises when another mirror becomes the writer"),
    program: column("text", "Program and version of the mirror"),
    changed_at: column("timestamptz(3)", "Time of the last change, by the clock of the database"),
  },
  key: [],
});

export const setting = defineTable({
  name: "setting",
  comment: "Those settings of the mirrored node on which answers depend. Contains no secrets.",
  kind: { kind: "kept" },
  columns: {
    name: column("text", "Name of a member of the description that /units sends"),
    value: column("jsonb", "Its value"),
  },
  key: ["name"],
});

export const writer = defineTable({
  name: "writer",
  comment: "One row: the mirror that may write.",
  kind: { kind: "kept" },
  columns: {
    holder: column("text", "Name of the mirror"),
    epoch: column("bigint", "Rises when another mirror becomes the writer"),
    until: column("timestamptz(3)", "End of the lease, by the clock of the database"),
  },
  key: [],
});

export const unit = defineTable({
  name: "unit",
  comment: "Units of the chain: key blocks, micro blocks, and persist units.",
  kind: { kind: "fact", place: "sequence" },
  columns: {
    height: column("integer", "Height of the block"),
    sequence: column(
      "integer",
      "Place in its block: 0 key block, 1 and above micro blocks, 65535 persist unit",
    ),
    id: column("bytea", "Id of the block up to this unit, 64 bytes"),
    parent: column("bytea", "Id of the unit before it; the unit's own id for a persist unit"),
    kind: column("smallint", "0 key block, 1 micro block, 2 persist unit"),
    first_position: column("integer", "Position of its first transaction in the block"),
    transaction_count: column("integer", "Number of its transactions"),
    arrived_ms: column("bigint", "Arrival of a micro block at the node, ms since 1970; 0 for other kinds"),
    persisted_alone: column("boolean", "True for a key block whose parent a persist unit has persisted"),
    digest: optional("bytea", "Hash of the rows that the unit wrote on the node, 32 bytes; null if unknown"),
  },
  key: ["height", "sequence"],
  // A persist unit has the id of the unit that it persists.
  indexes: [
    { name: "id", on: "id, kind", isUnique: true },
    // A few rows, which each poll of a gateway compares with the gateway's own.
    { name: "persist", on: "height", where: "kind = 2" },
  ],
});

export const unitBody = defineTable({
  name: "unit_body",
  comment: "Protocol bytes of the units.",
  kind: { kind: "fact", place: "sequence" },
  columns: {
    height: column("integer", "Height of the block"),
    sequence: column("integer", "Place in its block, as in unit"),
    bytes: column("bytea", "Key block without micro blocks, or micro block; empty for a persist unit"),
  },
  key: ["height", "sequence"],
  isPartitioned: true,
  uncompressed: ["bytes"],
});

export const revertedUnit = defineTable({
  name: "reverted_unit",
  comment: "Units that left the chain; each is kept for some days.",
  kind: { kind: "kept" },
  columns: {
    id: column("bytea", "Id of the block up to this unit, 64 bytes"),
    height: column("integer", "Height of the block"),
    sequence: column("integer", "Place in its block, as in unit"),
    parent: column("bytea", "Id of the unit before it"),
    bytes: column("bytea", "Protocol bytes"),
    fees: optional("bigint[]", "Fees that its transactions paid, in 10^-8 tokens; null without transactions"),
    payers: optional("text[]", "Addresses of the accounts that paid them, null where it was the sender"),
    reverted_at: column("timestamptz(3)", "Time of the change that undid it, by the clock of the database"),
  },
  key: ["id", "sequence", "reverted_at"],
  indexes: [{ name: "time", on: "reverted_at" }],
  uncompressed: ["bytes"],
});
