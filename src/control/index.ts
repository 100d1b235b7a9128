/** Calls to the node by topic. */
import { anchoringControl } from "./anchoring.ts";
import { chainControl } from "./chain.ts";
import type { ControlHandlersOf, ControlMethodsOf } from "./define.ts";
import { forgingControl } from "./forging.ts";
import { nodeControl } from "./node.ts";
import { peersControl } from "./peers.ts";
import { poolControl } from "./pool.ts";
import { walletControl } from "./wallet.ts";

export type * from "./anchoring.ts";
export type * from "./chain.ts";
export type * from "./deep-branch.ts";
export type * from "./failure.ts";
export type * from "./forging.ts";
export type * from "./log-level.ts";
export type * from "./node.ts";
export type * from "./peers.ts";
export type * from "./pool.ts";
export type * from "./wallet.ts";

export const controlTopics = {
  pool: poolControl,
  wallet: walletControl,
  forging: forgingControl,
  chain: chainControl,
  peers: peersControl,
  anchoring: anchoringControl,
  node: nodeControl,
};

type Topics = typeof controlTopics;

export type NodeControl = { readonly [topic in keyof Topics]: ControlMethodsOf<Topics[topic]> };

export type NodeControlHandlers = { readonly [topic in keyof Topics]: ControlHandlersOf<Topics[topic]> };
