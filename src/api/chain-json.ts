/** Page 06 §5; page 00, part B. */
import { headerMembers } from "../blocks/json.ts";
import { encodeBase58 } from "../bytes/base58.ts";
import { bytesEqual } from "../bytes/compare.ts";
import { type JsonOut, JsonText, printJson } from "../bytes/json.ts";
import { addressText } from "../crypto/addresses.ts";
import type { BlockInfo, ChainSnapshot, ChainTransaction, HeaderInfo } from "../interfaces.ts";
import { ruleOf } from "../ledger/registry.ts";
import {
  definitionOf,
  type Transaction,
  transactionJson,
  transactionMembersText,
} from "../transactions/index.ts";

type JsonMap = Map<string, JsonOut>;

/** Adds names that older clients expect. Page 00, part A, 2.1. */
function withNxtConsensus(members: JsonMap, header: HeaderInfo): JsonMap {
  return members.set("nxtconsensus", {
    basetarget: header.baseTarget,
    generationsignature: encodeBase58(header.generationSignature),
  });
}

export function headerJson(header: HeaderInfo): JsonMap {
  return withNxtConsensus(headerMembers(header).set("height", header.height), header);
}

function effectMembersText({
  effectiveFee,
  effectiveSponsor,
}: Pick<ChainTransaction, "effectiveFee" | "effectiveSponsor">): string {
  const fee = `"effectiveFee":${effectiveFee}`;
  if (effectiveSponsor === undefined) return fee;
  return `${fee},"effectiveSponsor":"${addressText(effectiveSponsor)}"`;
}

function appendedMembersText(members: Readonly<Record<string, JsonOut>> | undefined): string {
  if (members === undefined) return "";
  return Object.entries(members)
    .map(([name, value]) => (value === undefined ? "" : `,${printJson(name)}:${printJson(value)}`))
    .join("");
}

function withMembers(members: JsonMap, more: Readonly<Record<string, JsonOut>> = {}): JsonMap {
  for (const [name, value] of Object.entries(more)) members.set(name, value);
  return members;
}

export function transactionOnlyJson(transaction: Transaction): JsonMap {
  return new Map(transactionJson(transaction) as ReadonlyMap<string, JsonOut>);
}

export function blockTransactionJson(
  found: Pick<ChainTransaction, "transaction" | "effectiveFee" | "effectiveSponsor">,
): JsonText {
  return new JsonText(`{${transactionMembersText(found.transaction)},${effectMembersText(found)}}`);
}

export function blockJson(block: BlockInfo): JsonMap {
  const members = headerMembers(block)
    .set("transactions", block.transactions.map(blockTransactionJson))
    .set("fee", block.fee)
    .set("burnedFees", block.burnedFees)
    .set("miningReward", block.miningReward)
    .set("generatorReward", block.generatorReward)
    .set("height", block.height);
  return withNxtConsensus(members, block);
}

/** For `/blocks/child`. Page 06 §7.3. */
export function childBlockJson(block: BlockInfo): JsonMap {
  const transactions = block.transactions.map(({ transaction }) => transactionOnlyJson(transaction));
  return withNxtConsensus(headerMembers(block).set("transactions", transactions), block);
}

export function transactionWithState(chain: ChainSnapshot, transaction: Transaction): JsonMap {
  return withMembers(transactionOnlyJson(transaction), ruleOf(transaction).stateJson?.(chain, transaction));
}

export function showsState(transaction: Transaction): boolean {
  return ruleOf(transaction).stateJson !== undefined;
}

const lastId: { bytes: Uint8Array | undefined; text: string } = { bytes: undefined, text: "" };

/** Caches the newest text: lists often show several transactions of a block, and `idAt` returns the same object. */
function blockIdText(id: Uint8Array): string {
  if (lastId.bytes !== id) {
    lastId.text = encodeBase58(id);
    lastId.bytes = id;
  }
  return lastId.text;
}

function positionMembersText(chain: ChainSnapshot, found: ChainTransaction): string {
  // The reference node shows an empty signature for a persisted tip.
  const isPersistedTip = found.height === chain.height() && found.height === chain.persistedHeight();
  const id = isPersistedTip ? undefined : chain.blocks.idAt(found.height);
  const signature = id === undefined ? "" : blockIdText(id);
  return `,"height":${found.height},"blockSignature":"${signature}",${effectMembersText(found)}`;
}

export function transactionInfoJson(chain: ChainSnapshot, found: ChainTransaction): JsonText {
  const { transaction } = found;
  const state = appendedMembersText(ruleOf(transaction).stateJson?.(chain, transaction));
  return new JsonText(`{${transactionMembersText(transaction)}${state}${positionMembersText(chain, found)}}`);
}

/** For an address other than the sender, some types show only the parts that concern the address. Page 06 §7.5. */
export function addressTransactionJson(
  chain: ChainSnapshot,
  found: ChainTransaction,
  address: Uint8Array,
): JsonOut {
  const { transaction } = found;
  const { recipientJson } = definitionOf(transaction);
  if (recipientJson === undefined || bytesEqual(transaction.senderAddress, address))
    return transactionInfoJson(chain, found);
  const members = withMembers(transactionWithState(chain, transaction), recipientJson(transaction, address));
  const text = Array.from(members, ([name, value]) => appendedMembersText({ [name]: value })).join("");
  return new JsonText(`{${text.slice(1)}${positionMembersText(chain, found)}}`);
}

export function transactionAtHeightJson({ transaction, height }: ChainTransaction): JsonMap {
  return transactionOnlyJson(transaction).set("height", height);
}
