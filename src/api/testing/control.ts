/** A fake node for tests: its wallet signs everything, and its pool accepts everything. */
import { bytesEqual } from "../../bytes/compare.ts";
import { decodeUtf8 } from "../../bytes/utf8.ts";
import type { ControlMethod } from "../../control/define.ts";
import {
  controlTopics,
  type NodeControl,
  type NodeHealth,
  type PoolPage,
  type WalletAccount,
} from "../../control/index.ts";
import { addressOf } from "../../crypto/addresses.ts";
import { type KeyPair, sign } from "../../crypto/signatures.ts";
import { failed, ok } from "../../errors/result.ts";
import { mapMethods } from "../../runtime/rpc.ts";

/** Methods that a test replaces, by topic. */
export type ControlAnswers = { readonly [topic in keyof NodeControl]?: Partial<NodeControl[topic]> };

export interface ControlRecord {
  /** Whole transactions that were broadcast as bytes, in order. */
  readonly broadcasts: Uint8Array[];
  /** Texts of transactions that were broadcast as JSON, in order. */
  readonly json: string[];
  stopped: boolean;
}

/** The health of a node that is alone by its settings. */
export const WELL: NodeHealth = {
  startedAt: 0,
  forging: "off",
  hasDiskFault: false,
  diskSpace: { state: "ok", freeBytes: undefined },
  knowsPeers: false,
  sync: undefined,
  anchors: undefined,
  clockErrorMs: undefined,
  isStopping: false,
};

/** Returns a page of at most two transactions. */
function pageOf(pool: readonly Uint8Array[], from: number): PoolPage {
  const parts = pool.slice(from, from + 2);
  const ends = parts.map((_, i) => parts.slice(0, i + 1).reduce((sum, { length }) => sum + length, 0));
  const next = from + 2 < pool.length ? Uint8Array.of(from + 2) : undefined;
  return { bytes: new Uint8Array(Buffer.concat(parts)), ends, next };
}

/**
 * Creates a node with the given answers, and default answers for other methods. Methods without an answer or default
 * return undefined.
 * @param keyPairs accounts of the wallet, oldest first
 */
export function fakeControl(
  keyPairs: readonly KeyPair[],
  chainId: number,
  answers: ControlAnswers = {},
): NodeControl & ControlRecord {
  const accounts: WalletAccount[] = keyPairs.map(({ keyType, publicKey }) => ({
    address: addressOf(publicKey, chainId),
    keyType,
    publicKey,
  }));
  const record: ControlRecord = { broadcasts: [], json: [], stopped: false };
  const defaults: ControlAnswers = {
    pool: {
      broadcast: async ({ form, bytes }) => {
        if (form === "json") record.json.push(decodeUtf8(bytes));
        else record.broadcasts.push(bytes);
        return ok({ added: true });
      },
      page: async (after) => pageOf(record.broadcasts, after?.[0] ?? 0),
      size: async () => record.broadcasts.length,
      news: () => new Promise(() => {}),
      effect: async () => ({ balance: 0n, leaseIn: 0n, leaseOut: 0n, unbonding: 0n }),
    },
    wallet: {
      accounts: async () => accounts,
      sign: async (address, message) => {
        const at = accounts.findIndex((account) => bytesEqual(account.address, address));
        return at < 0 ? failed({ kind: "not-in-wallet" }) : ok(sign(keyPairs[at], message));
      },
      createAccount: async () => failed({ kind: "account-based-wallet" }),
      deleteAccount: async () => failed({ kind: "not-in-wallet" }),
    },
    forging: {
      miners: async () => [],
      state: async () => "disabled",
      feeVote: async () => "MAINTAIN",
      features: async () => [],
    },
    chain: {
      rollback: async () => ok(undefined),
      rollbackTo: async (id) => ok(id),
      applyCheckpoint: async () => ok(undefined),
      reorganisations: async () => ({ since: 0, count: 0, newest: [] }),
    },
    peers: {
      known: async () => [],
      connected: async () => [],
      banned: async () => [],
      suspended: async () => [],
      connect: async () => failed({ kind: "no-peers" }),
      ban: async () => ok(undefined),
    },
    anchoring: { account: async () => accounts[0], add: async () => ok(undefined) },
    node: {
      logLevels: async () => ({ level: "info", areas: {} }),
      setLogLevel: async () => ({ level: "info", areas: {} }),
      health: async () => WELL,
      resources: async () => ({
        memory: undefined,
        store: undefined,
        diskFree: undefined,
        diskTotal: undefined,
      }),
      stop: async () => {
        record.stopped = true;
      },
    },
  };
  const sources = [answers, defaults] as readonly Record<string, Record<string, unknown> | undefined>[];
  const calls = mapMethods<ControlMethod, unknown>(controlTopics, (topic, name) => {
    const source = sources.find((methods) => methods[topic]?.[name] !== undefined);
    return source?.[topic]?.[name] ?? (async () => undefined);
  });
  return Object.assign(record, calls as unknown as NodeControl);
}
