/** Serves the units of a store until the process ends. Arguments: genesis file, directory of the store. */
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "../src/api/server/server.ts";
import { fakeControl } from "../src/api/testing/control.ts";
import { memoryLog, testInfo } from "../src/api/testing/server.ts";
import { Chain } from "../src/chain/chain.ts";
import { chainReader } from "../src/chain/snapshot.ts";
import { allIndexes } from "../src/indexes/all.ts";
import { customProfile } from "../src/profiles/index.ts";
import { systemClock } from "../src/runtime/system.ts";
import { memoryStore } from "../src/storage/memory-store.ts";
import { openStore } from "../src/storage/store.ts";
import { silentLog } from "../src/testing/silent-log.ts";

const [genesis, directory] = process.argv.slice(2) as [string, string];
const profile = customProfile(readFileSync(genesis, "utf8"));
/** As in `bench/import-worker.ts`. */
const store = await openStore(directory, { network: "bench", readOnly: true });
const trust = { network: new Map(), root: undefined };
const { rules } = Chain.open({
  store: memoryStore(),
  profile,
  indexes: allIndexes({ trust }),
  clock: systemClock,
  log: silentLog,
  options: { stopOnUnsupportedFeature: true },
});
const server = await createServer({
  reader: chainReader(store, { profile, rules, indexAll: true, trust }),
  control: fakeControl([], profile.chainId),
  events: { onCommit: () => () => {} },
  info: testInfo({ network: profile, source: { store: store.id, trustRoot: undefined } }),
  clock: systemClock,
  log: memoryLog(),
});
await server.listen({ host: "127.0.0.1", port: 0 });
console.log(`http://127.0.0.1:${(server.server.address() as AddressInfo).port}`);
