/**
 * What the parts of the node ask of each other across the line of the design: how the chain is read (`ChainReader`), who
 * is told of changes (`ChainEvents`), and what is handed in from outside (`Clock`, `Random`, `Transport`, `Hosts`,
 * `Log`). What the node is asked to do is in `control/`.
 *
 * `ChainReader` answers from one consistent snapshot and never asks the writer. `ChainEvents` says that the chain
 * changed, and no more: what it says is plain data, so that it can be copied between threads.
 */
export type * from "./interfaces/chain-answers.ts";
export type * from "./interfaces/chain-reader.ts";
export type * from "./interfaces/index-answers.ts";
export type * from "./interfaces/world.ts";
