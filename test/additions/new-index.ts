/** The instructions of docs/develop.md for an index: its table, writer, query and contract, and the two lists. */
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addressOf } from "../../src/crypto/addresses.ts";
import type { ChainSnapshot } from "../../src/interfaces.ts";
import type { Node } from "../../src/node.ts";
import { dev } from "../../src/profiles/index.ts";
import { openStore, type Store } from "../../src/storage/store.ts";
import { buildTransaction } from "../../src/testing/build-transaction.ts";
import { DevNode, rootKeyPair } from "../../src/testing/dev-node.ts";
import { VirtualClock } from "../../src/testing/virtual-clock.ts";
import type { Transaction } from "../../src/transactions/index.ts";
import type { Addition, Edit, SourceCopy } from "./source-copy.ts";

const writeFile = `
import type { Writer } from "../../storage/kv.ts";
import { tables } from "../../storage/tables.ts";
import { definitionOf } from "../../transactions/index.ts";
import type { ConfiguredIndex } from "../chain-index.ts";

/** Number of data entries that each account has ever written. */
export function dataCountIndex(): ConfiguredIndex {
  return {
    configuration: { names: ["dataCounts"], text: "all" },
    apply(writer, unit) {
      for (const { transaction } of unit.transactions) {
        const { entries } = definitionOf(transaction);
        if (entries !== undefined) add(writer, transaction.senderAddress, entries(transaction).length);
      }
    },
  };
}

function add(writer: Writer, address: Uint8Array, more: number): void {
  const before = writer.get(tables.dataCounts, address) ?? 0n;
  writer.put(tables.dataCounts, address, before + BigInt(more));
}
`;

const queryFile = `
import type { DataCountQueries } from "../../queries/data-counts.ts";
import { tables } from "../../storage/tables.ts";
import { Queries } from "../query-source.ts";

export class DataCountQuery extends Queries implements DataCountQueries {
  of(address: Uint8Array): bigint {
    return this.source.rows("dataCounts").get(tables.dataCounts, address) ?? 0n;
  }
}
`;

const contractFile = `
export interface DataCountQueries {
  /** Number of data entries that an account has ever written. */
  of(address: Uint8Array): bigint;
}
`;

const edits: readonly Edit[] = [
  {
    file: "src/storage/tables.ts",
    before: "  /** day u32, address(26) -> blocks that the address forged on that day",
    lines: `  /** address(26) -> number of data entries that it has ever written, minimal big-endian bytes */
  dataCounts: table(0x7f, "dataCounts", bytesKeyCodec, naturalValue),
`,
  },
  { file: "src/indexes/data-counts/write.ts", content: writeFile },
  { file: "src/indexes/data-counts/query.ts", content: queryFile },
  { file: "src/queries/data-counts.ts", content: contractFile },
  {
    file: "src/queries/snapshot.ts",
    before: 'import type { GeneratorQueries } from "./generators.ts";',
    lines: 'import type { DataCountQueries } from "./data-counts.ts";\n',
  },
  { file: "src/queries/snapshot.ts", before: '  | "generators";', lines: '  | "dataCounts"\n' },
  {
    file: "src/queries/snapshot.ts",
    before: "  readonly generators: GeneratorQueries;",
    lines: "  readonly dataCounts: DataCountQueries;\n",
  },
  {
    file: "src/indexes/all.ts",
    before: 'import { GeneratorQuery } from "./generators/query.ts";',
    lines:
      'import { DataCountQuery } from "./data-counts/query.ts";\n' +
      'import { dataCountIndex } from "./data-counts/write.ts";\n',
  },
  {
    file: "src/indexes/all.ts",
    before: '  generators: ["forged"],',
    lines: '  dataCounts: ["dataCounts"],\n',
  },
  {
    file: "src/indexes/all.ts",
    before: "  generators: GeneratorQuery,",
    lines: "  dataCounts: DataCountQuery,\n",
  },
  { file: "src/indexes/all.ts", before: "    keyIndex(),", lines: "    dataCountIndex(),\n" },
];

/** Modules of the copy. */
interface Copy {
  readonly node: typeof import("../../src/node.ts");
  readonly inline: typeof import("../../src/node/testing/api-inline.ts");
  readonly composition: typeof import("../../src/node/composition.ts");
  readonly snapshot: typeof import("../../src/chain/snapshot.ts");
  readonly environment: typeof import("../../src/testing/simulated-environment.ts");
  readonly settings: typeof import("../../src/testing/settings.ts");
  readonly store: typeof import("../../src/storage/store.ts");
  readonly wallet: typeof import("../../src/wallet/fixed-wallet.ts");
}

const modules: { readonly [name in keyof Copy]: string } = {
  node: "node.ts",
  inline: "node/testing/api-inline.ts",
  composition: "node/composition.ts",
  snapshot: "chain/snapshot.ts",
  environment: "testing/simulated-environment.ts",
  settings: "testing/settings.ts",
  store: "storage/store.ts",
  wallet: "wallet/fixed-wallet.ts",
};

/** The copy's additional topic. */
interface WithDataCounts {
  readonly dataCounts: { of(address: Uint8Array): bigint };
}

function dataOf(timestamp: number, entries: number): Transaction {
  const data = Array.from({ length: entries }, (_, i) => ({ key: `${i}`, type: "integer", value: 1n }));
  const { chainId } = dev;
  return buildTransaction({
    type: 12,
    sender: rootKeyPair,
    fee: 100_000_000n,
    timestamp,
    chainId,
    members: { data },
  });
}

/** A node with the index, over the store of a node without it. */
function testDataCounts(sources: SourceCopy): void {
  const clock = new VirtualClock(Number(dev.genesis.blockTimestamp) + 60_000);
  const account = addressOf(rootKeyPair.publicKey, dev.chainId);
  let copy: Copy;
  let store: Store;
  let node: Node;

  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await turn();
  };
  const read = <T>(reading: (chain: ChainSnapshot) => T): T => {
    const trust = { network: new Map(), root: undefined };
    const context = copy.composition.readerContext(copy.settings.settingsOf(dev), node.chain.rules, trust);
    return copy.snapshot.chainReader(store, context).read(reading);
  };
  // The copy's snapshots have the new topic, which the original's types lack.
  const count = (): bigint => read((chain) => (chain as unknown as WithDataCounts).dataCounts.of(account));
  const stateOf = async (name: string): Promise<unknown> => {
    const indexes = (await (await fetch(`${node.url}/node/indexes`)).json()) as { readonly name: string }[];
    return indexes.find((index) => index.name === name);
  };

  beforeAll(async () => {
    copy = await sources.load<Copy>(modules);
    const directory = join(sources.folder, "data-counts");
    const network = { network: "the same" };
    store = await openStore(directory, network);
    const before = new DevNode({ store, clock });
    before.forger.start();
    before.pool.add(dataOf(clock.now(), 2));
    clock.advance(20_000);
    expect(before.pool.size).toBe(0);
    before.forger.stop();
    await store.close();

    store = await copy.store.openStore(directory, network);
    const environment = copy.environment.simulatedEnvironment({
      clock,
      store,
      wallet: copy.wallet.fixedWallet([rootKeyPair], dev.chainId),
      http: copy.inline.startApiInline(),
    });
    node = await copy.node.startNode(environment, copy.settings.settingsOf(dev, { api: { port: 0 } }));
  });

  afterAll(async () => {
    await node.stop();
    await store.close();
  });

  test("is built from stored blocks, updated by new ones, and undone with them", async () => {
    for (let i = 0; i < 100 && count() === 0n; i++) await pass(10);
    expect(await stateOf("dataCounts")).toEqual({ name: "dataCounts", state: "ready" });
    expect(count()).toBe(2n);

    await pass(40_000);
    const id = read((chain) => chain.blocks.idAt(chain.persistedHeight())) ?? new Uint8Array(0);
    expect(node.pool.add(dataOf(clock.now(), 3))).toMatchObject({ ok: true });
    for (let i = 0; i < 10 && node.pool.size > 0; i++) await pass(20_000);
    expect(count()).toBe(5n);
    node.chain.removeAfter(id, { returnTransactions: false });
    expect(count()).toBe(2n);
  });
}

export const newIndex: Addition = {
  what: "an index",
  maxFiles: 6,
  edits,
  tests: (copy) => describe("an index of the data entries that accounts wrote", () => testDataCounts(copy)),
};
