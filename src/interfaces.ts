/**
 * What the parts of the node ask of each other across the line of the design: the three interfaces that the
 * HTTP layer lives on (`ChainReader`, `ChainEvents`, `NodeControl`), and what is handed in from outside (`Clock`,
 * `Random`, `Transport`, `Hosts`, `Log`).
 *
 * `ChainReader` answers from one consistent snapshot and never asks the writer. `ChainEvents` says that the chain
 * changed, and no more. `NodeControl` is asynchronous: the node may be in another thread, or on another machine. What
 * goes through the latter two is plain data, so that it can be copied between threads.
 */
export type * from "./interfaces/chain-answers.ts";
export type * from "./interfaces/chain-reader.ts";
export type * from "./interfaces/control.ts";
export type * from "./interfaces/index-answers.ts";
export type * from "./interfaces/world.ts";
