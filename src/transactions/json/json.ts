import { encodeBase58 } from "../../bytes/base58.ts";
import type { JsonOut } from "../../bytes/json.ts";
import { addressText } from "../../crypto/addresses.ts";
import type { TransactionBase } from "../base.ts";
import { transactionId } from "../codec.ts";
import type { TransactionDefinition } from "../define.ts";
import { definitionOf, type Transaction } from "../registry.ts";

/** Members in output order. Callers may append others. */
export type TransactionJson = Map<string, JsonOut>;

const HEADER: Readonly<Record<string, (tx: Transaction, out: TransactionJson) => void>> = {
  type: (tx, out) => out.set("type", tx.type),
  version: (tx, out) => out.set("version", tx.version),
  id: (tx, out) => out.set("id", encodeBase58(transactionId(tx))),
  sender: (tx, out) => out.set("sender", addressText(tx.senderAddress)),
  senderKeyType: (tx, out) => out.set("senderKeyType", tx.sender.keyType),
  senderPublicKey: (tx, out) => out.set("senderPublicKey", encodeBase58(tx.sender.bytes)),
  sponsor: (tx, out) => {
    if (tx.sponsor === undefined || tx.sponsorAddress === undefined) return;
    out.set("sponsor", addressText(tx.sponsorAddress));
    out.set("sponsorKeyType", tx.sponsor.keyType);
    out.set("sponsorPublicKey", encodeBase58(tx.sponsor.bytes));
  },
  fee: (tx, out) => out.set("fee", tx.fee),
  timestamp: (tx, out) => out.set("timestamp", tx.timestamp),
  proofs: showProofs,
};

/** Outputs `signature` in layouts with one signature, otherwise `proofs`, if any. */
function showProofs(tx: Transaction, out: TransactionJson): void {
  const layout = definitionOf(tx).layouts.get(tx.version);
  if (layout?.envelope === "bare") out.set("signature", encodeBase58(transactionId(tx)));
  else if (layout?.oneSignature === true) {
    out.set("signature", tx.proofs.length === 0 ? "" : encodeBase58(tx.proofs[0]));
  } else if (tx.proofs.length > 0) out.set("proofs", tx.proofs.map(encodeBase58));
}

function fieldJson(name: string, tx: TransactionBase, definition: TransactionDefinition): JsonOut {
  const derived = definition.derived.get(name);
  if (derived !== undefined) return derived(tx);
  return definition.fields.get(name)?.show((tx as TransactionBase & Record<string, unknown>)[name]);
}

/** Omits members that depend on the transaction's position in the chain. Page 02 §8, §10. */
export function transactionJson(tx: Transaction): TransactionJson {
  const definition = definitionOf(tx);
  const out: TransactionJson = new Map();
  for (const name of definition.json) {
    const header = HEADER[name];
    if (header !== undefined) header(tx, out);
    else {
      const value = fieldJson(name, tx, definition);
      if (value !== undefined) out.set(name, value);
    }
  }
  return out;
}
