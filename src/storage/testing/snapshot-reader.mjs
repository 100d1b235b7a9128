// A worker thread that reads snapshots while another thread writes. It reports snapshots in which two rows that are
// always written together differ, and the number of snapshots.
import { parentPort, workerData } from "node:worker_threads";
import { openStore } from "../../../dist/storage/store.js";
import { tables } from "../../../dist/storage/tables.js";

const store = await openStore(workerData.directory, { network: workerData.network, readOnly: true });
const last = new Uint8Array(26).fill(19);
let reads = 0;
let torn = 0;
let newest = 0;
let backwards = 0;

function look() {
  store.read((reader) => {
    const height = reader.get(tables.heights, undefined)?.height ?? 0;
    const account = reader.get(tables.accounts, last);
    const listed = [...reader.range(tables.accounts)];
    if (height > 0 && Number(account?.balance) !== height) torn++;
    if (listed.some(([, { balance }]) => Number(balance) !== height)) torn++;
    if (height < newest) backwards++;
    newest = height;
    reads++;
  });
}

parentPort.on("message", async (message) => {
  if (message === "look") {
    for (let i = 0; i < 50; i++) look();
    parentPort.postMessage({ reads, torn, backwards, newest });
  } else {
    await store.close();
    parentPort.postMessage("closed");
    parentPort.close();
  }
});
parentPort.postMessage("ready");
