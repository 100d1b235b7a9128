// A process to be killed: it writes units until then. Each unit of height h sets every balance to h. Some commits
// hold many units, some undo a few first. It prints the committed height.
// Usage: node unit-writer.mjs DIRECTORY

import { invertedIndexes } from "../../../dist/storage/postings/all.js";
import { writePostings } from "../../../dist/storage/postings/inverted-index.js";
import { openStore } from "../../../dist/storage/store.js";
import { lsmTrees, tables } from "../../../dist/storage/tables.js";
import { accountPointValue } from "../../../dist/storage/values/ledger.js";

const [directory] = process.argv.slice(2);
const store = await openStore(directory, { network: "kill", rollbackDepth: 50 });
let height = store.get(tables.heights, undefined)?.height ?? 0;
let serial = height;

for (;;) {
  serial++;
  store.write((batch) => {
    for (let undo = serial % 7; undo > 4 && height > 10; undo--)
      batch.undoUnit({ height: height--, sequence: 0 });
    for (let unit = 0; unit < 1 + (serial % 4) * 3; unit++) {
      height++;
      batch.beginUnit({ height, sequence: 0 });
      batch.put(tables.heights, undefined, { height, persisted: height - 1 });
      const history = [];
      for (let n = 0; n < 20; n++) {
        const address = new Uint8Array(26).fill(n);
        const account = {
          balance: BigInt(height),
          leaseIn: 0n,
          leaseOut: 0n,
          unbonding: 0n,
          changedAt: height,
        };
        batch.put(tables.accounts, address, account);
        history.push({ key: address, value: accountPointValue.encode(account) });
      }
      writePostings(batch, invertedIndexes.accountHistory, { height, sequence: 0 }, history);
      batch.put(tables.score, height, BigInt(height));
      const id = new Uint8Array(32);
      new DataView(id.buffer).setUint32(0, Math.imul(height, 2654435761));
      batch.addEntry(lsmTrees.transactionIds, id, { height, position: 0 });
      batch.endUnit();
    }
  });
  process.stdout.write(`${height}\n`);
  // Let the output be written and the kill arrive.
  if (serial % 5 === 0) await new Promise((resolve) => setImmediate(resolve));
}
