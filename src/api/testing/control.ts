/** A node that is asked, for tests of the HTTP layer: a wallet that signs, and a pool that takes everything. */
import { bytesEqual } from "../../bytes/compare.ts";
import { decodeUtf8 } from "../../bytes/utf8.ts";
import { addressOf } from "../../crypto/addresses.ts";
import { type KeyPair, sign } from "../../crypto/signatures.ts";
import type { NodeControl, Outcome, PoolPage, WalletAccount } from "../../interfaces.ts";

function done<T>(value: T): Outcome<T> {
  return { ok: true, value };
}

const notOurs = { ok: false, failure: { kind: "not-in-wallet" } } as const;

/** What the tests look at afterwards. */
export interface ControlRecord {
  /** Full bytes of what was broadcast, in order. */
  readonly pool: Uint8Array[];
  /** What was broadcast as JSON, in order. */
  readonly json: string[];
  stopped: boolean;
}

/** Two transactions from a place on. */
function pageOf(pool: readonly Uint8Array[], from: number): PoolPage {
  const parts = pool.slice(from, from + 2);
  const ends = parts.map((_, i) => parts.slice(0, i + 1).reduce((sum, { length }) => sum + length, 0));
  const next = from + 2 < pool.length ? Uint8Array.of(from + 2) : undefined;
  return { bytes: new Uint8Array(Buffer.concat(parts)), ends, next };
}

/** @param keyPairs accounts of the wallet, oldest first */
export function controlOf(
  keyPairs: readonly KeyPair[],
  chainId: number,
  answers: Partial<NodeControl> = {},
): NodeControl & ControlRecord {
  const accounts: WalletAccount[] = keyPairs.map(({ keyType, publicKey }) => ({
    address: addressOf(publicKey, chainId),
    keyType,
    publicKey,
  }));
  const record: ControlRecord = { pool: [], json: [], stopped: false };
  const control: NodeControl = {
    broadcast: async ({ form, bytes }) => {
      if (form === "json") record.json.push(decodeUtf8(bytes));
      else record.pool.push(bytes);
      return done({ added: true });
    },
    unconfirmed: async (after) => pageOf(record.pool, after?.[0] ?? 0),
    poolNews: () => new Promise(() => {}),
    unconfirmedSize: async () => record.pool.length,
    unconfirmedById: async () => undefined,
    unconfirmedAnchor: async () => undefined,
    poolEffect: async () => ({ balance: 0n, leaseIn: 0n, leaseOut: 0n, unbonding: 0n }),
    walletAccounts: async () => accounts,
    anchorAccount: async () => accounts[0],
    queueAnchor: async () => done(undefined),
    queuedAnchor: async () => undefined,
    anchorQueue: async () => undefined,
    sign: async (address, message) => {
      const at = accounts.findIndex((account) => bytesEqual(account.address, address));
      return at < 0 ? notOurs : done(sign(keyPairs[at], message));
    },
    createAccount: async () => ({ ok: false, failure: { kind: "account-based-wallet" } }),
    deleteAccount: async () => notOurs,
    minerInfo: async () => [],
    minerState: async () => "disabled",
    feeVote: async () => "MAINTAIN",
    setFeeVote: async () => {},
    supportedFeatures: async () => [],
    rollback: async () => done(undefined),
    rollbackTo: async (id) => done(id),
    applyCheckpoint: async () => done(undefined),
    knownPeers: async () => [],
    connectedPeers: async () => [],
    bannedPeers: async () => [],
    suspendedPeers: async () => [],
    connectToPeer: async () => ({ ok: false, failure: { kind: "no-peers" } }),
    clearBans: async () => {},
    banPeers: async () => done(undefined),
    syncInfo: async () => undefined,
    peerParts: async () => undefined,
    reorganisations: async () => ({ since: 0, count: 0, newest: [] }),
    health: async () => ({ startedAt: 0, forging: "off", diskFault: false, knowsPeers: false }),
    resources: async () => ({
      memory: undefined,
      store: undefined,
      diskFree: undefined,
      diskTotal: undefined,
    }),
    stop: async () => {
      record.stopped = true;
    },
    ...answers,
  };
  return Object.assign(record, control);
}
