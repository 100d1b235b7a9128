/** A recorded chain in memory, imported from its blocks, behind the real HTTP server. */
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "../../src/api/http/server.ts";
import { controlOf } from "../../src/api/testing/control.ts";
import { keptLog, testInfo } from "../../src/api/testing/server.ts";
import { parseBlock } from "../../src/blocks/block.ts";
import { ByteReader } from "../../src/bytes/reader.ts";
import { Chain } from "../../src/chain/chain.ts";
import { chainReader } from "../../src/chain/reading/stored-chain.ts";
import { addressTransactionIndex } from "../../src/indexes/address-transactions.ts";
import { customProfile } from "../../src/profiles/index.ts";
import { memoryStore } from "../../src/storage/memory-store.ts";
import { silentLog } from "../../src/testing/silent-log.ts";
import { VirtualClock } from "../../src/testing/virtual-clock.ts";
import { vectorsPath } from "../vectors.ts";

/** Later than every block of the recordings, and within the life of the recorded certificates. */
const NOW = Date.UTC(2026, 0, 1);
const BLOCKS_PER_COMMIT = 50;

/** @param name of the folder in `chains/` */
export async function serveRecordedChain(name: string): Promise<{ url: string; close(): Promise<void> }> {
  const read = (file: string): Buffer => readFileSync(vectorsPath(`chains/${name}/${file}`));
  const profile = customProfile(read("genesis.json").toString("utf8"));
  const store = memoryStore();
  const clock = new VirtualClock(NOW);
  const chain = Chain.open({
    store,
    profile,
    indexes: [addressTransactionIndex()],
    clock,
    log: silentLog,
    options: { maxTransactionsInMicroBlock: 255, stopOnUnsupportedFeature: true },
  });
  const bytes = new ByteReader(new Uint8Array(read("blocks.bin")));
  while (bytes.remaining > 0) {
    const group = chain.beginGroup();
    for (let i = 0; i < BLOCKS_PER_COMMIT && bytes.remaining > 0; i++) {
      const refusal = group.append(parseBlock(bytes.bytes(bytes.i32()), profile));
      if (refusal !== undefined) throw new Error(refusal.printed);
    }
    group.commit();
  }
  // The recorded chains end in a persisted block.
  chain.persistTip();

  const trust = { network: new Map(), root: undefined };
  const server = await createServer({
    reader: chainReader(store, { profile, rules: chain.rules, indexAll: true, trust }),
    control: controlOf([], profile.chainId),
    info: testInfo({ network: profile }),
    clock,
    log: keptLog(),
  });
  await server.listen({ host: "127.0.0.1", port: 0 });
  const { port } = server.server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}
