// A process with a limited file size. It writes asynchronously, fails twice, succeeds once more, fails also at a synchronous
// write, then closes the store. It prints the results.
// Usage: sh -c 'trap "" XFSZ; ulimit -f BLOCKS; exec node async-writer.mjs DIRECTORY'

import { anchorTables } from "../../../dist/anchoring/tables.js";
import { openStore } from "../../../dist/storage/store.js";

const [directory] = process.argv.slice(2);
const store = await openStore(directory, { network: "aside" });
const write = (name, length) =>
  store
    .writeAsync((batch) => batch.put(anchorTables.facts, Uint8Array.of(name), new Uint8Array(length)))
    .then(
      () => console.log(`${name} is there`),
      (error) => console.log(`${name} failed: ${error.name}${error.lasting ? ", lasting" : ""}`),
    );
await write(1, 1_000);
await write(2, 4_000_000);
await write(3, 4_000_000);
if (store.get(anchorTables.facts, Uint8Array.of(2)) === undefined) console.log("2 is not seen");
await write(4, 1_000);
await write(5, 4_000_000);
// Single pages fill the file to its limit.
try {
  for (let n = 0; n < 1_000; n++)
    store.write((batch) =>
      batch.put(anchorTables.facts, Uint8Array.of(6, n >> 8, n & 255), new Uint8Array(3_000)),
    );
} catch (error) {
  console.log(`6 failed: ${error.name}`);
}
await write(7, 3_000);
await store.close();
console.log("closed");
