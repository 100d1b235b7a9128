/** The chain of the recordings of the index, and the real server over it. */
import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import type { ApiInfo } from "../../src/api/http/info.ts";
import { createServer } from "../../src/api/http/server.ts";
import { controlOf } from "../../src/api/testing/control.ts";
import { keptLog, testInfo } from "../../src/api/testing/server.ts";
import { parseBlock } from "../../src/blocks/block.ts";
import { decodeBase64 } from "../../src/bytes/base64.ts";
import { type JsonValue, printJson } from "../../src/bytes/json.ts";
import { ByteReader } from "../../src/bytes/reader.ts";
import { Chain } from "../../src/chain/chain.ts";
import { chainReader } from "../../src/chain/reading/stored-chain.ts";
import { allIndexes, type IndexSettings } from "../../src/indexes/all.ts";
import { Mempool } from "../../src/mempool/mempool.ts";
import { Intake } from "../../src/node/intake.ts";
import { poolControl } from "../../src/node/pool-control.ts";
import { customProfile } from "../../src/profiles/index.ts";
import { memoryStore } from "../../src/storage/memory-store.ts";
import { keyPairOf } from "../../src/testing/dev-node.ts";
import { silentLog } from "../../src/testing/silent-log.ts";
import { VirtualClock } from "../../src/testing/virtual-clock.ts";
import { inlineVerifier } from "../../src/verification/verifier.ts";
import { loadVectorsJson } from "../vectors.ts";

export interface RecordedIndexOptions extends IndexSettings {
  readonly authToken: string | undefined;
  readonly didResponse: "document" | "resolution";
  /** What the HTTP layer is told beside that. */
  readonly info?: Partial<ApiInfo>;
}

/** The recordings were made soon after the last block. */
const AFTER_LAST_BLOCK_MS = 10_000;

function text(json: ReadonlyMap<string, JsonValue>, name: string): string {
  const value = json.get(name);
  if (typeof value !== "string") throw new Error(`${name} is no text`);
  return value;
}

/** Imports the recorded blocks and opens a server over the chain, its pool, and a wallet of the root account. */
export async function startRecordedIndex(
  options: RecordedIndexOptions,
): Promise<{ readonly url: string; readonly server: FastifyInstance }> {
  const file = loadVectorsJson("index/chain.json") as ReadonlyMap<string, JsonValue>;
  const profile = customProfile(printJson(file.get("custom") ?? null));
  const blocks = new ByteReader(decodeBase64(text(file, "blocksBinary")));
  const store = memoryStore();
  const clock = new VirtualClock(Date.UTC(2027, 0, 1));
  const chain = Chain.open({
    store,
    profile,
    indexes: allIndexes(options),
    clock,
    log: silentLog,
    options: { maxTransactionsInMicroBlock: 255, stopOnUnsupportedFeature: true },
  });
  const group = chain.beginGroup();
  while (blocks.remaining > 0) {
    const refusal = group.append(parseBlock(blocks.bytes(blocks.i32()), profile));
    if (refusal !== undefined) throw new Error(refusal.printed);
  }
  group.commit();
  clock.jump(Number(chain.tip.keyBlock.timestamp) + AFTER_LAST_BLOCK_MS);

  const pool = new Mempool(chain, clock, {
    maxTransactions: 1_000,
    maxBytes: 2 ** 20,
    maxAgeMs: 5_400_000,
    blacklist: [],
    allowTransfersTo: [],
  });
  const server = await createServer({
    reader: chainReader(store, { profile, rules: chain.rules, indexAll: true, trust: options.trust }),
    control: controlOf(
      [keyPairOf("index conformance root")],
      profile.chainId,
      poolControl(pool, new Intake(pool, inlineVerifier(profile), clock), profile, () => {}),
    ),
    events: chain,
    info: testInfo({
      network: profile,
      authToken: options.authToken,
      didResponse: options.didResponse,
      ...options.info,
    }),
    clock,
    log: keptLog(),
  });
  await server.listen({ host: "127.0.0.1", port: 0 });
  return { url: `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`, server };
}
