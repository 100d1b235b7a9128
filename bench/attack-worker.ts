/**
 * Attackers of one kind, in a process of their own: `attack-worker.js KIND URL SECONDS SEED P2P-PORT`. They go on for so many
 * seconds and then say how often they did what. Loopback only.
 */
import { peerKinds } from "./attack-peers.ts";
import { requestKinds } from "./attack-requests.ts";
import { agent, kind, tellCounts } from "./attack-tools.ts";

const kinds = { ...requestKinds, ...peerKinds };
const attack = kinds[kind];
if (attack === undefined)
  throw new Error(`No such kind: ${kind}. There are: ${Object.keys(kinds).join(", ")}`);
await attack();
agent.destroy();
tellCounts();
