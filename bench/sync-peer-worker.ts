/**
 * A node that imports the blocks of a file and serves them to peers on loopback until its input ends. It prints its
 * port. Arguments: blocks, genesis file, folder.
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { importBlocks } from "../src/chain/jobs/import.ts";
import { benchNode } from "./sync-node.ts";

/** Its port and the height of its chain. */
export interface Serving {
  readonly port: number;
  readonly height: number;
}

const [path, genesis, home] = process.argv.slice(2) as [string, string, string];
const node = await benchNode(genesis, home, []);
const { profile } = node.settings;
const verifier = node.environment.verifier(profile);
const file = openSync(path, "r");
await importBlocks(
  node.chain,
  profile,
  { size: fstatSync(file).size, read: (target, at) => readSync(file, target, 0, target.length, at) },
  { verifier },
);
closeSync(file);
await verifier.close();
await node.start();
const serving: Serving = { port: node.peers?.listeningPort ?? 0, height: node.chain.tip.height };
process.stdout.write(`${JSON.stringify(serving)}\n`);
process.stdin.on("end", () => void node.stop()).resume();
