/**
 * What the parts of the node ask of each other across the line of the design: how the chain is read (`ChainReader`), who
 * is told of changes (`ChainEvents`), and what is handed in from outside (`Clock`, `Random`, `Transport`, `Hosts`,
 * `Log`). What the node is asked to do is in `control/`.
 *
 * `ChainReader` answers from one consistent snapshot and never asks the writer. `ChainEvents` says that the chain
 * changed, and no more: what it says is plain data, so that it can be copied between threads.
 */
export type * from "./interfaces/world.ts";
export type * from "./queries/accounts.ts";
export type * from "./queries/anchors.ts";
export type * from "./queries/associated-addresses.ts";
export type * from "./queries/associations.ts";
export type * from "./queries/blocks.ts";
export type * from "./queries/changes.ts";
export type * from "./queries/credentials.ts";
export type * from "./queries/generators.ts";
export type * from "./queries/identities.ts";
export type * from "./queries/leases.ts";
export type * from "./queries/network.ts";
export type * from "./queries/paging.ts";
export type * from "./queries/snapshot.ts";
export type * from "./queries/sponsors.ts";
export type * from "./queries/statistics.ts";
export type * from "./queries/transaction-groups.ts";
export type * from "./queries/transactions.ts";
export type * from "./queries/trust.ts";
