/** Accounts on the chain of the explorer's tests. */
import { parseTrustNetwork } from "../../../src/indexes/trust/trust-network.ts";
import { keyPairOf } from "../../../src/testing/dev-node.ts";
import { spenders } from "../../../src/testing/random-transactions.ts";

/** Forgers in the node's wallet; the first is the root of trust. */
export const root = keyPairOf("root");
export const north = keyPairOf("north");
export const south = keyPairOf("south");
export const forgers = [root, north, south] as const;

export const alice = keyPairOf("alice");
export const bob = keyPairOf("bob");
/** Keys of the other two types. */
export const carol = spenders[3];
export const certified = spenders[4];
export const scripted = keyPairOf("with a script");
/** Sender of the hostile texts. */
export const mallory = keyPairOf("mallory");
export const everybody = [alice, bob, carol, certified, scripted, mallory] as const;

export const trustNetwork = parseTrustNetwork(`{
  "root": { "description": "The root of trust", "issues": [{ "type": 100, "role": "authority" }] },
  "authority": {
    "description": "Names universities",
    "issues": [{ "type": 101, "role": "university" }, { "type": 102, "role": "inspector" }]
  },
  "university": {
    "description": "Issues diplomas",
    "issues": [],
    "authorization": ["https://example.org/diploma"]
  },
  "inspector": { "issues": [], "sponsored": false }
}`);
