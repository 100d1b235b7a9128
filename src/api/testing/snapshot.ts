/** Small fake chains for tests of the HTTP layer. */
import { StoredSnapshot } from "../../chain/snapshot.ts";
import type { BlockInfo, ChainReader, ChainSnapshot } from "../../interfaces.ts";
import { dev } from "../../profiles/index.ts";
import { DevNode } from "../../testing/dev-node.ts";

/** Queries that a test replaces, by topic. */
export type SnapshotFacts = {
  readonly [name in keyof ChainSnapshot]?: ChainSnapshot[name] extends (...given: never) => unknown
    ? ChainSnapshot[name]
    : Partial<ChainSnapshot[name]>;
};

let genesis: ChainSnapshot | undefined;

/** These facts on top of a chain with only a genesis block. */
export function fakeSnapshot(facts: SnapshotFacts = {}): ChainSnapshot {
  if (genesis === undefined) {
    const { chain, store } = new DevNode();
    const trust = { network: new Map(), root: undefined };
    genesis = new StoredSnapshot(store, { profile: dev, rules: chain.rules, indexAll: true, trust });
  }
  return overriding(genesis, facts);
}

/** Replaces members recursively. */
function overriding<T extends object>(object: T, facts: Readonly<Record<PropertyKey, unknown>>): T {
  return new Proxy(object, {
    get(target, name) {
      const own: unknown = Reflect.get(target, name);
      const said = facts[name];
      if (typeof own === "function") return said ?? own.bind(target);
      return said === undefined ? own : overriding(own as object, said as typeof facts);
    },
  });
}

export const noIdentities: SnapshotFacts["identities"] = {
  answer: () => ({
    error: { name: "notFound", text: "there are none" },
    content: null,
    metadata: {},
    isDeactivated: false,
  }),
};

export function fakeReader(snapshot: ChainSnapshot): ChainReader {
  return { read: (reading) => reading(snapshot), renew: () => {} };
}

/** Version 4, derived from its height. */
export function emptyBlock(height: number, facts: Partial<BlockInfo> = {}): BlockInfo {
  return {
    height,
    id: new Uint8Array(64).fill(height),
    version: 4,
    timestamp: BigInt(height) * 1_000n,
    reference: new Uint8Array(64).fill(height - 1),
    baseTarget: 100n,
    generationSignature: new Uint8Array(32).fill(7),
    features: [],
    feeVote: 0,
    generatorKey: new Uint8Array(32),
    generator: new Uint8Array(26),
    size: 300,
    transactionCount: 0,
    transactions: [],
    fee: 0n,
    burnedFees: 0n,
    miningReward: 0n,
    generatorReward: 0n,
    ...facts,
  };
}

/** From height 1; the last block is liquid by default. */
export function fakeChain(blocks: readonly BlockInfo[], liquid = true): SnapshotFacts {
  const at = (height: number): BlockInfo | undefined => blocks[height - 1];
  const byId = (id: Uint8Array): BlockInfo | undefined =>
    blocks.find((block) => block.id.join() === id.join());
  return {
    height: () => blocks.length,
    persistedHeight: () => (liquid ? blocks.length - 1 : blocks.length),
    blocks: {
      header: at,
      at,
      idAt: (height) => at(height)?.id,
      byId,
      headerById: byId,
      heightOf: (id) => byId(id)?.height,
    },
  };
}
