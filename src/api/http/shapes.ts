/** The JSON of what the chain holds: headers, blocks, transactions with their context. Page 06 §5; page 00, part B. */
import { encodeBase58 } from "../../bytes/base58.ts";
import { bytesEqual } from "../../bytes/compare.ts";
import type { JsonOut } from "../../bytes/json.ts";
import { addressText } from "../../crypto/addresses.ts";
import type { BlockInfo, ChainSnapshot, ChainTransaction, HeaderInfo } from "../../interfaces.ts";
import { type Transaction, transactionId, transactionJson, transfersTo } from "../../transactions/index.ts";

/** A JSON object in the order of its members. */
export type JsonMap = Map<string, JsonOut>;

/** From this block version on features are voted for. Page 06 §5.5. */
const FEATURES_VERSION = 3;

/** Members 1 to 10 of header and block. Page 06 §5.5. */
function headerMembers(header: HeaderInfo): JsonMap {
  const members: JsonMap = new Map<string, JsonOut>([
    ["version", header.version],
    ["timestamp", header.timestamp],
    ["reference", encodeBase58(header.reference)],
    [
      "nxt-consensus",
      {
        "base-target": header.baseTarget,
        "generation-signature": encodeBase58(header.generationSignature),
      },
    ],
  ]);
  if (header.version >= FEATURES_VERSION) members.set("features", [...header.features]);
  return members
    .set("feeVote", header.feeVote)
    .set("generator", addressText(header.generator))
    .set("signature", encodeBase58(header.id))
    .set("blocksize", header.size)
    .set("transactionCount", header.transactionCount);
}

/** The last member of every header and block: the consensus data under the names of page 00, part A, 2.1. */
function withAlias(members: JsonMap, header: HeaderInfo): JsonMap {
  return members.set("nxtconsensus", {
    basetarget: header.baseTarget,
    generationsignature: encodeBase58(header.generationSignature),
  });
}

/** A header with its height. */
export function headerJson(header: HeaderInfo): JsonMap {
  return withAlias(headerMembers(header).set("height", header.height), header);
}

function effectiveMembers(members: JsonMap, { effectiveFee, effectiveSponsor }: ChainTransaction): JsonMap {
  members.set("effectiveFee", effectiveFee);
  if (effectiveSponsor !== undefined) members.set("effectiveSponsor", addressText(effectiveSponsor));
  return members;
}

/** A copy, so that members can be added. */
function plainTransaction(transaction: Transaction): JsonMap {
  return new Map(transactionJson(transaction) as ReadonlyMap<string, JsonOut>);
}

/** A whole block. Page 06 §5.6. */
export function blockJson(block: BlockInfo): JsonMap {
  const members = headerMembers(block)
    .set(
      "transactions",
      block.transactions.map((one) => effectiveMembers(plainTransaction(one.transaction), one)),
    )
    .set("fee", block.fee)
    .set("burnedFees", block.burnedFees)
    .set("miningReward", block.miningReward)
    .set("generatorReward", block.generatorReward)
    .set("height", block.height);
  return withAlias(members, block);
}

/** The block as `/blocks/child` shows it. Page 06 §7.3. */
export function childBlockJson(block: BlockInfo): JsonMap {
  const transactions = block.transactions.map(({ transaction }) => plainTransaction(transaction));
  return withAlias(headerMembers(block).set("transactions", transactions), block);
}

/** A transaction with what its type adds, as the chain sees it now. Page 06 §5.4. */
export function transactionWithState(chain: ChainSnapshot, transaction: Transaction): JsonMap {
  const members = plainTransaction(transaction);
  if (transaction.type === 8) {
    members.set("status", chain.isLeaseActive(transactionId(transaction)) ? "active" : "canceled");
  } else if (transaction.type === 9) {
    const lease = chain.transaction(transaction.leaseId);
    members.set("lease", lease === undefined ? null : plainTransaction(lease.transaction));
  }
  return members;
}

/** A transaction as `/transactions/info` and `/transactions/address` show it. Page 06 §5.4. */
export function transactionInfoJson(chain: ChainSnapshot, found: ChainTransaction): JsonMap {
  const members = transactionWithState(chain, found.transaction).set("height", found.height);
  // The reference looks for the block at the tip among liquid ones only.
  const hardTip = found.height === chain.height() && found.height === chain.persistedHeight();
  const id = hardTip ? undefined : chain.header(found.height)?.id;
  members.set("blockSignature", id === undefined ? "" : encodeBase58(id));
  return effectiveMembers(members, found);
}

/**
 * The same in a list of an address: of a mass transfer by someone else only the transfers to the address are
 * shown. Page 06 §7.5.
 */
export function addressTransactionJson(
  chain: ChainSnapshot,
  found: ChainTransaction,
  address: Uint8Array,
): JsonMap {
  const members = transactionInfoJson(chain, found);
  const { transaction } = found;
  if (transaction.type === 11 && !bytesEqual(transaction.senderAddress, address)) {
    members.set("transfers", transfersTo(transaction, address));
  }
  return members;
}

/** A transaction with its height only, as `/leasing/active` shows it. */
export function transactionAtHeightJson({ transaction, height }: ChainTransaction): JsonMap {
  return plainTransaction(transaction).set("height", height);
}

/** A transaction alone, as sign, broadcast and submit answer it. */
export function transactionAlone(transaction: Transaction): JsonMap {
  return plainTransaction(transaction);
}
