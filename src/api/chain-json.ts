/** The JSON of what the chain holds: headers, blocks, transactions with their context. Page 06 §5; page 00, part B. */
import { headerMembers } from "../blocks/json.ts";
import { encodeBase58 } from "../bytes/base58.ts";
import { bytesEqual } from "../bytes/compare.ts";
import type { JsonOut } from "../bytes/json.ts";
import { addressText } from "../crypto/addresses.ts";
import type { BlockInfo, ChainSnapshot, ChainTransaction, HeaderInfo } from "../interfaces.ts";
import { ruleOf } from "../ledger/registry.ts";
import { definitionOf, type Transaction, transactionJson } from "../transactions/index.ts";

/** A JSON object in the order of its members. */
type JsonMap = Map<string, JsonOut>;

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

function effectiveMembers(
  members: JsonMap,
  { effectiveFee, effectiveSponsor }: Pick<ChainTransaction, "effectiveFee" | "effectiveSponsor">,
): JsonMap {
  members.set("effectiveFee", effectiveFee);
  if (effectiveSponsor !== undefined) members.set("effectiveSponsor", addressText(effectiveSponsor));
  return members;
}

/** Sets members that a type states. */
function withMembers(members: JsonMap, more: Readonly<Record<string, JsonOut>> = {}): JsonMap {
  for (const [name, value] of Object.entries(more)) members.set(name, value);
  return members;
}

/** A transaction without context. A copy, so that members can be added. */
export function transactionOnlyJson(transaction: Transaction): JsonMap {
  return new Map(transactionJson(transaction) as ReadonlyMap<string, JsonOut>);
}

/** A transaction as it stands in a block. Page 06 §5.6. */
export function transactionInBlock(
  found: Pick<ChainTransaction, "transaction" | "effectiveFee" | "effectiveSponsor">,
): JsonMap {
  return effectiveMembers(transactionOnlyJson(found.transaction), found);
}

/** A whole block. Page 06 §5.6. */
export function blockJson(block: BlockInfo): JsonMap {
  const members = headerMembers(block)
    .set("transactions", block.transactions.map(transactionInBlock))
    .set("fee", block.fee)
    .set("burnedFees", block.burnedFees)
    .set("miningReward", block.miningReward)
    .set("generatorReward", block.generatorReward)
    .set("height", block.height);
  return withAlias(members, block);
}

/** The block as `/blocks/child` shows it. Page 06 §7.3. */
export function childBlockJson(block: BlockInfo): JsonMap {
  const transactions = block.transactions.map(({ transaction }) => transactionOnlyJson(transaction));
  return withAlias(headerMembers(block).set("transactions", transactions), block);
}

/** A transaction with what its type adds, as the chain sees it now. Page 06 §5.4. */
export function transactionWithState(chain: ChainSnapshot, transaction: Transaction): JsonMap {
  return withMembers(transactionOnlyJson(transaction), ruleOf(transaction).stateJson?.(chain, transaction));
}

/** Whether what is shown of a transaction changes with the state, such as whether a lease is active. */
export function showsState(transaction: Transaction): boolean {
  return ruleOf(transaction).stateJson !== undefined;
}

/** A transaction as `/transactions/info` and `/transactions/address` show it. Page 06 §5.4. */
export function transactionInfoJson(chain: ChainSnapshot, found: ChainTransaction): JsonMap {
  const members = transactionWithState(chain, found.transaction).set("height", found.height);
  // The reference looks for the block at the tip among liquid ones only.
  const hardTip = found.height === chain.height() && found.height === chain.persistedHeight();
  const id = hardTip ? undefined : chain.blocks.idAt(found.height);
  members.set("blockSignature", id === undefined ? "" : encodeBase58(id));
  return effectiveMembers(members, found);
}

/**
 * The same in a list of an address: of a transaction by someone else perhaps only what concerns the address.
 * Page 06 §7.5.
 */
export function addressTransactionJson(
  chain: ChainSnapshot,
  found: ChainTransaction,
  address: Uint8Array,
): JsonMap {
  const members = transactionInfoJson(chain, found);
  const { transaction } = found;
  if (bytesEqual(transaction.senderAddress, address)) return members;
  return withMembers(members, definitionOf(transaction).recipientJson?.(transaction, address));
}

/** A transaction with its height only, as `/leasing/active` shows it. */
export function transactionAtHeightJson({ transaction, height }: ChainTransaction): JsonMap {
  return transactionOnlyJson(transaction).set("height", height);
}
