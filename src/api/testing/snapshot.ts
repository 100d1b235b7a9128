/** Small fake chains for tests of the HTTP layer. */
import { StoredSnapshot } from "../../chain/snapshot.ts";
import type { BlockInfo, ChainReader, ChainSnapshot } from "../../interfaces.ts";
import { dev } from "../../profiles/index.ts";
import { DevNode } from "../../testing/dev-node.ts";

/** Queries that a test replaces, by topic. */
export type SnapshotOverrides = {
  readonly [name in keyof ChainSnapshot]?: ChainSnapshot[name] extends (...args: never) => unknown
    ? ChainSnapshot[name]
    : Partial<ChainSnapshot[name]>;
};

let genesis: ChainSnapshot | undefined;

/** Returns a snapshot of a chain with only a genesis block, in which the overrides replace queries. */
export function fakeSnapshot(overrides: SnapshotOverrides = {}): ChainSnapshot {
  if (genesis === undefined) {
    const { chain, store } = new DevNode();
    const trust = { network: new Map(), root: undefined };
    genesis = new StoredSnapshot(store, { profile: dev, rules: chain.rules, indexAll: true, trust });
  }
  return overriding(genesis, overrides);
}

/** Returns a proxy of an object in which the overrides replace members, recursively. */
function overriding<T extends object>(object: T, overrides: Readonly<Record<PropertyKey, unknown>>): T {
  return new Proxy(object, {
    get(target, name) {
      const original: unknown = Reflect.get(target, name);
      const override = overrides[name];
      if (typeof original === "function") return override ?? original.bind(target);
      return override === undefined ? original : overriding(original as object, override as typeof overrides);
    },
  });
}

export const noIdentities: SnapshotOverrides["identities"] = {
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

/** Returns a block of version 4 without transactions, whose members follow from its height. */
export function emptyBlock(height: number, overrides: Partial<BlockInfo> = {}): BlockInfo {
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
    ...overrides,
  };
}

/** Returns the queries of a chain whose first block has height 1. The last block is liquid by default. */
export function fakeChain(blocks: readonly BlockInfo[], isLiquid = true): SnapshotOverrides {
  const at = (height: number): BlockInfo | undefined => blocks[height - 1];
  const byId = (id: Uint8Array): BlockInfo | undefined =>
    blocks.find((block) => block.id.join() === id.join());
  return {
    height: () => blocks.length,
    persistedHeight: () => (isLiquid ? blocks.length - 1 : blocks.length),
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
