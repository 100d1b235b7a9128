/**
 * `ChainReader` reads the chain from one consistent snapshot, and never waits for the writer. `ChainEvents`
 * only reports that the chain changed, in plain data.
 */
export type * from "./interfaces/environment.ts";
export type * from "./interfaces/unit-source.ts";
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
export type * from "./queries/rankings.ts";
export type * from "./queries/snapshot.ts";
export type * from "./queries/sponsors.ts";
export type * from "./queries/statistics.ts";
export type * from "./queries/suggestions.ts";
export type * from "./queries/transaction-groups.ts";
export type * from "./queries/transactions.ts";
export type * from "./queries/trust.ts";
export type * from "./queries/units.ts";
