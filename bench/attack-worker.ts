/**
 * Runs attackers of one kind in a separate process: `attack-worker.js KIND URL SECONDS SEED P2P-PORT`. They run for the
 * given seconds and then print their counters. Loopback only.
 */
import { peerKinds } from "./attack-peers.ts";
import { requestKinds } from "./attack-requests.ts";
import { agent, kind, tellCounts } from "./attack-tools.ts";

const kinds = { ...requestKinds, ...peerKinds };
const attack = kinds[kind];
if (attack === undefined)
  throw new Error(`Unknown kind of attack ${kind}. Known kinds: ${Object.keys(kinds).join(", ")}`);
await attack();
agent.destroy();
tellCounts();
