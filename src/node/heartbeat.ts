import type { Chain } from "../chain/chain.ts";
import type { Cancel, Clock, Log } from "../interfaces.ts";
import type { Mempool } from "../mempool/mempool.ts";
import { every } from "../runtime/timers.ts";

const HEARTBEAT_INTERVAL_MS = 300_000;

interface HeartbeatDependencies {
  readonly clock: Pick<Clock, "after" | "now">;
  readonly log: Log;
  readonly chain: Pick<Chain, "tip">;
  /** Undefined without a pool. */
  readonly pool?: Pick<Mempool, "size"> | undefined;
  /** Connected peers; undefined without P2P. */
  readonly peers: () => number | undefined;
  /** Free bytes on the store's disk; undefined if unknown. */
  readonly diskFree: () => number | undefined;
}

export function startHeartbeat({ clock, log, chain, pool, peers, diskFree }: HeartbeatDependencies): Cancel {
  return every(clock, HEARTBEAT_INTERVAL_MS, "heartbeat", () => {
    const { height, keyBlock } = chain.tip;
    log.info("Heartbeat", {
      height,
      tipAgeSeconds: Math.round((clock.now() - Number(keyBlock.timestamp)) / 1_000),
      peers: peers(),
      pool: pool?.size,
      diskFreeBytes: diskFree(),
    });
  });
}
