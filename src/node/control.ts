/** What the HTTP layer asks of the node, done: `NodeControl` over pool, wallet, forging and chain. */

import { failure, failures, refusalFailure, requestFailure, validationFailure } from "../api/http/errors.ts";
import { parseJson } from "../bytes/json.ts";
import type { Chain } from "../chain/chain.ts";
import type { Forger } from "../forging/forger.ts";
import type { ApiFailure, FeeVote, NodeControl, Outcome, WalletAccount } from "../interfaces.ts";
import { Refusal } from "../ledger/refusal.ts";
import type { Mempool } from "../mempool/mempool.ts";
import { JournalPrunedError } from "../storage/store.ts";
import { tables } from "../storage/tables.ts";
import {
  parseTransaction,
  TransactionParseError,
  transactionBytes,
  transactionFromRequest,
} from "../transactions/index.ts";
import { AccountBasedWalletError, AccountExistsError, NoPrivateKeyError } from "../wallet/errors.ts";
import type { Wallet } from "../wallet/wallet.ts";

export interface ControlDependencies {
  readonly chain: Chain;
  readonly pool: Mempool;
  readonly wallet: Wallet;
  readonly forger: Forger;
  readonly network: { readonly chainId: number; readonly payment: boolean };
  /** The account that `POST /hash` uses; undefined: the oldest. */
  readonly hashAccount: Uint8Array | undefined;
  /** Features this node votes for. */
  readonly features: readonly number[];
  /** Ends the node. */
  readonly stop: () => void;
}

function done<T>(value: T): Outcome<T> {
  return { ok: true, value };
}

function failed(reason: ApiFailure): { readonly ok: false; readonly failure: ApiFailure } {
  return { ok: false, failure: reason };
}

/** An account as plain data of its own, so that it can be copied to another thread. */
function plain({ address, keyType, publicKey }: WalletAccount): WalletAccount {
  return { address: address.slice(), keyType, publicKey: publicKey.slice() };
}

/** Errors of the wallet that the protocol knows, as answers; others are faults of the node. Page 01 §9.5. */
async function walletOutcome<T>(work: () => Promise<T> | T): Promise<Outcome<T>> {
  try {
    return done(await work());
  } catch (error) {
    if (error instanceof NoPrivateKeyError) return failed(failures.missingSenderPrivateKey);
    if (error instanceof AccountBasedWalletError) return failed(failures.accountBasedWallet);
    if (error instanceof AccountExistsError) return failed(failures.unknown);
    throw error;
  }
}

/** A rollback that reaches deeper than the journal is refused by its text. */
function rollbackOutcome<T>(work: () => T): Outcome<T> {
  try {
    return done(work());
  } catch (error) {
    if (error instanceof JournalPrunedError) return failed(failure(400, 199, error.message));
    throw error;
  }
}

export function nodeControl(dependencies: ControlDependencies): NodeControl {
  const { chain, pool, wallet, forger, network } = dependencies;
  return {
    async broadcast(given) {
      try {
        const read =
          typeof given === "string"
            ? transactionFromRequest(parseJson(given), { network })
            : ({ ok: true, transaction: parseTransaction(given, network) } as const);
        if (!read.ok) return failed(requestFailure(read.error));
        const outcome = pool.add(read.transaction);
        return outcome instanceof Refusal ? failed(refusalFailure(outcome)) : done({ added: outcome.added });
      } catch (error) {
        // What was built from a request can be valid by itself and still not survive its own bytes.
        if (!(error instanceof TransactionParseError)) throw error;
        return failed(validationFailure({ kind: "GenericError", args: [error.message] }));
      }
    },
    async unconfirmed() {
      return pool.all().map((transaction) => transactionBytes(transaction).slice());
    },
    async unconfirmedSize() {
      return pool.size;
    },
    async unconfirmedById(id) {
      const transaction = pool.get(id);
      return transaction && transactionBytes(transaction).slice();
    },
    async unconfirmedAnchor(hash) {
      const transaction = pool.oldestAnchor(hash);
      return transaction && transactionBytes(transaction).slice();
    },
    async poolEffect(address) {
      return pool.effect(address);
    },

    async walletAccounts() {
      return wallet.accounts().map(plain);
    },
    async anchorAccount() {
      const { hashAccount } = dependencies;
      const account =
        hashAccount === undefined
          ? wallet.oldest()
          : wallet.accounts().find(({ address }) => Buffer.compare(address, hashAccount) === 0);
      return account && plain(account);
    },
    async sign(address, message) {
      return walletOutcome(() => wallet.sign(address, message));
    },
    async createAccount() {
      const outcome = await walletOutcome(async () => (await wallet.addAccount()).address.slice());
      if (outcome.ok) forger.schedule();
      return outcome;
    },
    async deleteAccount(address) {
      const outcome = await walletOutcome(async () => {
        await wallet.deleteAccount(address);
        return true;
      });
      if (outcome.ok) forger.schedule();
      return outcome;
    },

    async minerInfo() {
      return forger.minerInfo().map((info) => ({ ...info, address: info.address.slice() }));
    },
    async minerState() {
      return forger.state;
    },
    async feeVote() {
      return forger.feeVote;
    },
    async setFeeVote(vote: FeeVote) {
      forger.feeVote = vote;
    },
    async supportedFeatures() {
      return dependencies.features;
    },

    async rollback(height, returnTransactions) {
      return rollbackOutcome(() => {
        const id = chain.read((reader) => reader.get(tables.headers, height)?.signature);
        if (id !== undefined) chain.removeAfter(id, { returnTransactions });
        return id;
      });
    },
    async rollbackTo(id) {
      return rollbackOutcome(() => {
        chain.removeAfter(id, { returnTransactions: false });
        return id;
      });
    },
    async applyCheckpoint(checkpoint) {
      const text = chain.acceptCheckpoint(checkpoint);
      return text === undefined ? done(undefined) : failed(failure(400, 199, text));
    },
    async stop() {
      dependencies.stop();
    },
  };
}
