import type { Chain } from "../chain/chain.ts";
import type { Clock, Log, Random } from "../interfaces.ts";
import type { Mempool } from "../mempool/mempool.ts";
import type { NetworkRules } from "../transactions/index.ts";
import type { Preverifier } from "../verification/ahead.ts";
import type { PeerNetwork } from "./connections/peer.ts";

export interface PeerContext {
  readonly network: PeerNetwork;
  readonly chain: Chain;
  readonly pool: Mempool;
  readonly checks: Preverifier;
  readonly rules: NetworkRules;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}
