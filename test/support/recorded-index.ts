/** The chain of the index recordings, and the real server over it. */

import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import type { ApiInfo } from "../../src/api/info.ts";
import { createServer } from "../../src/api/server/server.ts";
import { fakeControl } from "../../src/api/testing/control.ts";
import { memoryLog, testInfo } from "../../src/api/testing/server.ts";
import { parseBlock } from "../../src/blocks/testing/parse-block.ts";
import { decodeBase64 } from "../../src/bytes/base64.ts";
import { type JsonValue, printJson } from "../../src/bytes/json.ts";
import { ByteReader } from "../../src/bytes/reader.ts";
import { Chain } from "../../src/chain/chain.ts";
import { IndexBuilder } from "../../src/chain/jobs/build-indexes.ts";
import { chainReader } from "../../src/chain/snapshot.ts";
import { allIndexes, type IndexSettings } from "../../src/indexes/all.ts";
import type { TrustNetwork } from "../../src/indexes/trust/trust-network.ts";
import { Mempool } from "../../src/mempool/mempool.ts";
import { poolControl } from "../../src/node/control/pool-control.ts";
import { Intake } from "../../src/node/intake.ts";
import { startApiInline } from "../../src/node/testing/api-inline.ts";
import { type Node, startNode } from "../../src/node.ts";
import { customProfile } from "../../src/profiles/index.ts";
import type { NetworkProfile } from "../../src/profiles/profile.ts";
import { memoryStore } from "../../src/storage/memory-store.ts";
import type { Store } from "../../src/storage/store.ts";
import { keyPairOf } from "../../src/testing/dev-node.ts";
import { settingsOf } from "../../src/testing/settings.ts";
import { silentLog } from "../../src/testing/silent-log.ts";
import { simulatedEnvironment } from "../../src/testing/simulated-environment.ts";
import { VirtualClock } from "../../src/testing/virtual-clock.ts";
import { Preverifier } from "../../src/verification/ahead.ts";
import { inlineVerifier } from "../../src/verification/testing/inline-verifier.ts";
import { fixedWallet } from "../../src/wallet/fixed-wallet.ts";
import { loadVectorsJson } from "../vectors.ts";

export interface RecordedIndexOptions extends IndexSettings {
  readonly authToken: string | undefined;
  readonly didResponse: "document" | "resolution";
  /** Further options of the HTTP layer. */
  readonly info?: Partial<ApiInfo>;
}

/** How many blocks of the recorded chain the store has, and how many of them its indexes cover. */
export interface RecordedHeights {
  readonly height: number;
  readonly indexed: number;
}

/** A server that tests send requests to and close. */
export interface Started {
  readonly url: string;
  close(): Promise<void>;
}

export interface RecordedIndex extends Started {
  readonly server: FastifyInstance;
}

/** The recordings were made soon after the last block. */
const AFTER_LAST_BLOCK_MS = 10_000;

/** Account that forged all blocks and whose wallet was used. */
const root = keyPairOf("index conformance root");

function text(json: ReadonlyMap<string, JsonValue>, name: string): string {
  const value = json.get(name);
  if (typeof value !== "string") throw new Error(`${name} is not a string`);
  return value;
}

/** The recorded chain in an in-memory store, as far as it was imported. */
class ImportedChain {
  readonly profile: NetworkProfile;
  readonly store: Store = memoryStore();
  readonly clock = new VirtualClock(Date.UTC(2027, 0, 1));
  readonly #blocks: ByteReader;

  constructor() {
    const file = loadVectorsJson("index/chain.json") as ReadonlyMap<string, JsonValue>;
    this.profile = customProfile(printJson(file.get("custom") ?? null));
    this.#blocks = new ByteReader(decodeBase64(text(file, "blocksBinary")));
  }

  open(settings: IndexSettings): Chain {
    const { store, profile, clock } = this;
    return Chain.open({
      store,
      profile,
      indexes: allIndexes(settings),
      clock,
      log: silentLog,
      options: { stopOnUnsupportedFeature: true },
    });
  }

  /** Appends recorded blocks up to a height. */
  append(chain: Chain, height = Number.POSITIVE_INFINITY): void {
    const group = chain.beginGroup();
    for (let next = chain.tip.height + 1; next <= height && this.#blocks.remaining > 0; next++) {
      const result = group.append(parseBlock(this.#blocks.bytes(this.#blocks.i32()), this.profile));
      if (!result.ok) throw new Error(result.error.printed);
    }
    group.commit();
  }

  /** Sets the clock to the time of the last block. */
  arriveAt(chain: Chain): void {
    this.clock.jump(Number(chain.tip.keyBlock.timestamp) + AFTER_LAST_BLOCK_MS);
  }
}

/** Creates a chain whose anchor index was disabled for the last blocks and must now catch up. */
function behind(
  imported: ImportedChain,
  settings: IndexSettings,
  { height, indexed }: RecordedHeights,
): Chain {
  // The block at which the index was disabled may lack micro blocks, so it does not count as indexed.
  imported.append(imported.open(settings), indexed + 1);
  imported.append(imported.open({ ...settings, anchors: "none" }), height);
  const { profile: network, clock } = imported;
  const chain = imported.open(settings);
  new IndexBuilder({ chain, network, clock, log: silentLog }).begin();
  return chain;
}

/**
 * Imports the recorded blocks and opens a server over the chain, its pool, and a wallet of the root account.
 * @param heights fewer than all blocks, or an index that does not cover all of them
 */
export async function startRecordedIndex(
  options: RecordedIndexOptions,
  heights?: RecordedHeights,
): Promise<RecordedIndex> {
  const imported = new ImportedChain();
  const { store, profile, clock } = imported;
  const chain = heights === undefined ? imported.open(options) : behind(imported, options, heights);
  if (heights === undefined) imported.append(chain);
  imported.arriveAt(chain);

  const pool = new Mempool(chain, clock, {
    maxTransactions: 1_000,
    maxBytes: 2 ** 20,
    maxAgeMs: 5_400_000,
    blacklist: [],
    allowTransfersTo: [],
  });
  const server = await createServer({
    reader: chainReader(store, { profile, rules: chain.rules, indexAll: true, trust: options.trust }),
    control: fakeControl([root], profile.chainId, {
      pool: poolControl({
        pool,
        intake: new Intake(pool, new Preverifier(inlineVerifier(profile)), clock),
        network: profile,
        clock,
        onAdded: () => {},
        diskFault: () => false,
      }),
    }),
    events: chain,
    info: testInfo({
      network: profile,
      authToken: options.authToken,
      didResponse: options.didResponse,
      ...options.info,
    }),
    clock,
    log: memoryLog(),
  });
  await server.listen({ host: "127.0.0.1", port: 0 });
  const { port } = server.server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, server, close: () => server.close() };
}

/** A whole node over the recorded chain that gathers hashes, and forges when its clock advances. */
export interface GatheringNode extends Started {
  readonly node: Node;
  readonly clock: VirtualClock;
}

export async function startGathering(trustNetwork: TrustNetwork): Promise<GatheringNode> {
  const imported = new ImportedChain();
  const { store, profile, clock } = imported;
  const trust = { network: trustNetwork, root: undefined };
  const chain = imported.open({ trust });
  imported.append(chain);
  imported.arriveAt(chain);
  const environment = simulatedEnvironment({
    clock,
    store,
    anchors: memoryStore(),
    wallet: fixedWallet([root], profile.chainId),
    http: startApiInline(),
  });
  const node = await startNode(
    environment,
    settingsOf(profile, { api: { port: 0 }, anchoring: { mode: "batch" }, index: { trustNetwork } }),
  );
  if (node.url === undefined) throw new Error("the node has no HTTP server");
  return { node, clock, url: node.url, close: () => node.stop() };
}
