import { SeededRandom } from "../../testing/seeded-random.ts";
import type { VirtualClock } from "../../testing/virtual-clock.ts";
import { PeerDatabase, type PeerDatabaseSettings } from "../database/peer-database.ts";

/** Returns an empty database of peers. */
export function peerDatabase(
  clock: VirtualClock,
  settings: Partial<PeerDatabaseSettings> = {},
): PeerDatabase {
  return new PeerDatabase(clock, new SeededRandom(1), {
    listen: { host: "0.0.0.0", port: 6868 },
    knownPeers: [],
    knownPeerMs: 86_400_000,
    blacklistMs: 900_000,
    suspensionMs: 60_000,
    maxUnverified: 100,
    blacklisting: true,
    publicOnly: false,
    ...settings,
  });
}
