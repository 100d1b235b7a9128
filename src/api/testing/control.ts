/** A node that is asked, for tests of the HTTP layer: a wallet that signs, and a pool that takes everything. */
import { bytesEqual } from "../../bytes/compare.ts";
import { addressOf } from "../../crypto/addresses.ts";
import { type KeyPair, sign } from "../../crypto/signatures.ts";
import type { NodeControl, Outcome, WalletAccount } from "../../interfaces.ts";
import { failures } from "../http/errors.ts";

function done<T>(value: T): Outcome<T> {
  return { ok: true, value };
}

const notOurs = { ok: false, failure: failures.missingSenderPrivateKey } as const;

/** What the tests look at afterwards. */
export interface ControlRecord {
  /** Full bytes of what was broadcast, in order. */
  readonly pool: Uint8Array[];
  /** What was broadcast as JSON, in order. */
  readonly json: string[];
  stopped: boolean;
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
    broadcast: async (bytes) => {
      if (typeof bytes === "string") record.json.push(bytes);
      else record.pool.push(bytes);
      return done({ added: true });
    },
    unconfirmed: async () => record.pool,
    unconfirmedSize: async () => record.pool.length,
    unconfirmedById: async () => undefined,
    unconfirmedAnchor: async () => undefined,
    poolEffect: async () => ({ balance: 0n, leaseIn: 0n, leaseOut: 0n, unbonding: 0n }),
    walletAccounts: async () => accounts,
    anchorAccount: async () => accounts[0],
    sign: async (address, message) => {
      const at = accounts.findIndex((account) => bytesEqual(account.address, address));
      return at < 0 ? notOurs : done(sign(keyPairs[at], message));
    },
    createAccount: async () => ({ ok: false, failure: failures.accountBasedWallet }),
    deleteAccount: async () => notOurs,
    minerInfo: async () => [],
    minerState: async () => "disabled",
    feeVote: async () => "MAINTAIN",
    setFeeVote: async () => {},
    supportedFeatures: async () => [],
    rollback: async () => done(undefined),
    rollbackTo: async (id) => done(id),
    applyCheckpoint: async () => done(undefined),
    stop: async () => {
      record.stopped = true;
    },
    ...answers,
  };
  return Object.assign(record, control);
}
