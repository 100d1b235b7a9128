import { encodeBase58 } from "../../bytes/base58.ts";
import { type JsonOut, printJson } from "../../bytes/json.ts";
import { keyTextOf, senderTextOf } from "../address-cache.ts";
import type { TransactionBase } from "../base.ts";
import { transactionId } from "../codec.ts";
import type { TransactionDefinition } from "../define.ts";
import { definitionOf, type Transaction } from "../registry.ts";

/** Members in output order. Callers may append others. */
export type TransactionJson = Map<string, JsonOut>;

interface MemberOutput {
  /** Omits undefined values. */
  set(name: string, value: JsonOut): void;
  /** @param text must not contain characters that JSON escapes */
  setPlain(name: string, text: string): void;
}

class MapOutput implements MemberOutput {
  readonly members: TransactionJson = new Map();

  set(name: string, value: JsonOut): void {
    if (value !== undefined) this.members.set(name, value);
  }

  setPlain(name: string, text: string): void {
    this.members.set(name, text);
  }
}

class TextOutput implements MemberOutput {
  text = "";

  set(name: string, value: JsonOut): void {
    if (value === undefined) return;
    const isNumber = typeof value === "bigint" || typeof value === "number";
    this.#add(name, isNumber ? String(value) : printJson(value));
  }

  setPlain(name: string, text: string): void {
    this.#add(name, `"${text}"`);
  }

  /** Names of members contain no character that JSON escapes. */
  #add(name: string, text: string): void {
    this.text += this.text === "" ? `"${name}":${text}` : `,"${name}":${text}`;
  }
}

const HEADER: Readonly<Record<string, (tx: Transaction, out: MemberOutput) => void>> = {
  type: (tx, out) => out.set("type", tx.type),
  version: (tx, out) => out.set("version", tx.version),
  id: (tx, out) => out.setPlain("id", encodeBase58(transactionId(tx))),
  sender: (tx, out) => out.setPlain("sender", senderTextOf(tx.sender, tx.senderAddress)),
  senderKeyType: (tx, out) => out.setPlain("senderKeyType", tx.sender.keyType),
  senderPublicKey: (tx, out) => out.setPlain("senderPublicKey", keyTextOf(tx.sender)),
  sponsor: (tx, out) => {
    if (tx.sponsor === undefined || tx.sponsorAddress === undefined) return;
    out.setPlain("sponsor", senderTextOf(tx.sponsor, tx.sponsorAddress));
    out.setPlain("sponsorKeyType", tx.sponsor.keyType);
    out.setPlain("sponsorPublicKey", keyTextOf(tx.sponsor));
  },
  fee: (tx, out) => out.set("fee", tx.fee),
  timestamp: (tx, out) => out.set("timestamp", tx.timestamp),
  proofs: showProofs,
};

function showProofs(tx: Transaction, out: MemberOutput): void {
  const layout = definitionOf(tx).layouts.get(tx.version);
  if (layout?.envelope === "bare") out.setPlain("signature", encodeBase58(transactionId(tx)));
  else if (layout?.hasOneSignature === true) {
    out.setPlain("signature", tx.proofs.length === 0 ? "" : encodeBase58(tx.proofs[0]));
  } else if (tx.proofs.length > 0) out.set("proofs", tx.proofs.map(encodeBase58));
}

function fieldJson(name: string, tx: TransactionBase, definition: TransactionDefinition): JsonOut {
  const derived = definition.derived.get(name);
  if (derived !== undefined) return derived(tx);
  return definition.fields.get(name)?.show((tx as TransactionBase & Record<string, unknown>)[name]);
}

function writeMembers<T extends MemberOutput>(tx: Transaction, out: T): T {
  const definition = definitionOf(tx);
  for (const name of definition.json) {
    const header = HEADER[name];
    if (header !== undefined) header(tx, out);
    else out.set(name, fieldJson(name, tx, definition));
  }
  return out;
}

/** Omits members that depend on the transaction's position in the chain. Page 02 §8, §10. */
export function transactionJson(tx: Transaction): TransactionJson {
  return writeMembers(tx, new MapOutput()).members;
}

/** Prints `transactionJson` without braces, faster than printing the map. */
export function transactionMembersText(tx: Transaction): string {
  return writeMembers(tx, new TextOutput()).text;
}
