/** A recorded chain in memory, imported from its blocks, behind the real HTTP server. */
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "../../src/api/server/server.ts";
import { fakeControl } from "../../src/api/testing/control.ts";
import { memoryLog, testInfo } from "../../src/api/testing/server.ts";
import { parseBlock } from "../../src/blocks/testing/parse-block.ts";
import { ByteReader } from "../../src/bytes/reader.ts";
import { chainReader } from "../../src/chain/snapshot.ts";
import { readerContext } from "../../src/node/composition.ts";
import { createNode } from "../../src/node.ts";
import { customProfile } from "../../src/profiles/index.ts";
import { memoryStore } from "../../src/storage/memory-store.ts";
import { settingsOf } from "../../src/testing/settings.ts";
import { simulatedEnvironment } from "../../src/testing/simulated-environment.ts";
import { VirtualClock } from "../../src/testing/virtual-clock.ts";
import { fixedWallet } from "../../src/wallet/fixed-wallet.ts";
import { vectorsPath } from "../vectors.ts";

/** Later than every block of the recordings, and before the recorded certificates expire. */
const NOW = Date.UTC(2026, 0, 1);
const BLOCKS_PER_COMMIT = 50;

/** @param name name of the folder in `chains/` */
export async function serveRecordedChain(name: string): Promise<{ url: string; close(): Promise<void> }> {
  const read = (file: string): Buffer => readFileSync(vectorsPath(`chains/${name}/${file}`));
  const profile = customProfile(read("genesis.json").toString("utf8"));
  const store = memoryStore();
  const clock = new VirtualClock(NOW);
  const settings = settingsOf(profile);
  const wallet = fixedWallet([], profile.chainId);
  const { chain, trust } = createNode(simulatedEnvironment({ clock, store, wallet }), settings);
  const bytes = new ByteReader(new Uint8Array(read("blocks.bin")));
  while (bytes.remaining > 0) {
    const group = chain.beginGroup();
    for (let i = 0; i < BLOCKS_PER_COMMIT && bytes.remaining > 0; i++) {
      const result = group.append(parseBlock(bytes.bytes(bytes.i32()), profile));
      if (!result.ok) throw new Error(result.error.printed);
    }
    group.commit();
  }
  // The recorded chains end with a persisted block.
  chain.persistTip();

  const server = await createServer({
    reader: chainReader(store, readerContext(settings, chain.rules, trust)),
    control: fakeControl([], profile.chainId),
    events: chain,
    info: testInfo({ network: profile }),
    clock,
    log: memoryLog(),
  });
  await server.listen({ host: "127.0.0.1", port: 0 });
  const { port } = server.server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}
