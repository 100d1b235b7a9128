/** Chains of a few facts, for tests of the HTTP layer. */
import type { BlockInfo, ChainReader, ChainSnapshot } from "../../interfaces.ts";

/** A snapshot that knows nothing but `facts`: zero, empty or undefined for all the rest, height 1. */
export function snapshotOf(facts: Partial<ChainSnapshot> = {}): ChainSnapshot {
  return {
    height: () => 1,
    persistedHeight: () => 1,
    tip: () => ({ height: 1, sequence: 0, id: new Uint8Array(64) }),
    state: () => "",
    changesSince: (cursor) => ({
      kind: "changes",
      reverted: [],
      committed: [],
      ancestor: cursor,
      cursor,
      complete: true,
    }),
    unit: () => undefined,
    leaf: () => undefined,
    score: () => 0n,
    header: () => undefined,
    idAt: (height) => facts.header?.(height)?.id,
    block: () => undefined,
    blockById: () => undefined,
    headerById: () => undefined,
    heightOf: () => undefined,
    revertedBlock: () => undefined,
    dueBlocks: () => ({ height: 1, timestamp: 0n, window: 0, forgers: [] }),
    blockBytes: () => undefined,
    heightsGeneratedBy: () => [],
    lastPersistedIds: () => [],
    microBlockIds: () => [],
    transaction: () => undefined,
    addressTransactions: () => [],
    newestTransactions: () => ({ transactions: [], end: undefined }),
    isLeaseActive: () => false,
    activeLeases: () => [],
    minimumFee: () => 100_000_000n,
    requestRefusal: () => undefined,
    account: () => ({ balance: 0n, leaseIn: 0n, leaseOut: 0n, unbonding: 0n }),
    balance: () => 0n,
    effectiveBalance: () => 0n,
    generatingBalance: () => 0n,
    balanceHistory: () => [],
    accountChanges: () => [],
    distribution: () => [],
    script: () => undefined,
    dataEntries: () => [],
    dataEntry: () => undefined,
    sponsors: () => [],
    sponsorCount: () => 0,
    isSponsor: () => false,
    sponsored: () => ({ sponsored: [], end: undefined }),
    associations: () => ({ outgoing: [], incoming: [] }),
    certificate: () => undefined,
    burned: () => 0n,
    feeVotes: () => ({
      price: 100_000n,
      votes: 0,
      period: 10,
      nextPrice: 100_000n,
      nextActivationHeight: 10,
    }),
    features: () => [],
    approvedFeatures: () => [],
    indexes: () => [],
    unready: () => undefined,
    anchor: () => undefined,
    mappedAnchors: () => [],
    resolveDid: () => ({
      didDocument: {},
      didDocumentMetadata: {},
      didResolutionMetadata: { error: "notFound" },
      status: 404,
      documentError: { status: 404, error: "notFound" },
    }),
    identityRecords: () => 0,
    identityVersions: () => "notFound",
    answerDid: () => ({
      error: { name: "notFound", text: "there are none" },
      content: null,
      metadata: {},
      isDeactivated: false,
    }),
    credentialStatus: () => ({ known: false, total: 0, statements: [], goesOn: false }),
    transactionGroups: () => [],
    dayStatistics: () => undefined,
    forgedBetween: () => undefined,
    forgers: () => [],
    trustRoles: () => ({ roles: [], issuesRoles: [], issuesAuthorization: [] }),
    roleGrants: () => [],
    trustRoot: () => undefined,
    roleHolders: () => [],
    issuableRoles: () => [],
    associatedAddresses: () => ({ children: [], parents: [] }),
    groupTransactions: (_address, group) => (group === "all" ? { total: 0, transactions: [] } : undefined),
    ...facts,
  };
}

/** Reads always the same snapshot. */
export function readerOf(snapshot: ChainSnapshot): ChainReader {
  return { read: (reading) => reading(snapshot), renew: () => {} };
}

/** A block of version 4 without transactions, made of its height. */
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

/** Facts of a chain of these blocks, heights 1, 2, ...; the last one is liquid unless stated. */
export function chainOf(blocks: readonly BlockInfo[], liquid = true): Partial<ChainSnapshot> {
  const at = (height: number): BlockInfo | undefined => blocks[height - 1];
  const byId = (id: Uint8Array): BlockInfo | undefined =>
    blocks.find((block) => block.id.join() === id.join());
  return {
    height: () => blocks.length,
    persistedHeight: () => (liquid ? blocks.length - 1 : blocks.length),
    header: at,
    block: at,
    blockById: byId,
    headerById: byId,
    heightOf: (id) => byId(id)?.height,
  };
}
