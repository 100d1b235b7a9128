/**
 * Every member of a transaction, named for people and with its kind: from the definition of its type, so that a type
 * that is new is shown in full.
 */
import type { Answer } from "../../client/index.ts";
import { definitionByType, type NetworkRules, type TransactionDefinition } from "../../transactions/index.ts";
import {
  addressValue,
  amountValue,
  blockValue,
  type Detail,
  detailOf,
  heightValue,
  plainValue,
  shapedValue,
  signatureValue,
  timeValue,
  transactionValue,
  type Value,
} from "./value.ts";

/** A transaction as an answer has it: alone, of the pool, in a block, or looked up with its height. */
export type ShownTransaction = Answer<"POST /transactions/broadcast">;

/** The definition of the type; undefined for one that this page does not know yet. */
export function definitionOfShown({ type }: ShownTransaction): TransactionDefinition | undefined {
  return definitionByType(type, rulesOf(0));
}

/** A network where all types are, of a chain id. */
export function rulesOf(chainId: number): NetworkRules {
  return { chainId, payment: true };
}

/** `mass transfer`; the number of a type that is not known. */
export function typeNameOf(transaction: ShownTransaction): string {
  return definitionOfShown(transaction)?.name ?? `type ${transaction.type}`;
}

/** Values whose meaning is in their name alone, in whichever type they stand. */
const BY_NAME: Readonly<Record<string, (answered: unknown) => Value>> = {
  expires: timeValue,
  totalAmount: amountValue,
};

/** Labels of names that speak for themselves less than others. */
const LABELS: Readonly<Record<string, string>> = {
  associationType: "Type of association",
  statementType: "Type of statement",
  transferCount: "Transfers, number",
  totalAmount: "Total",
  leaseId: "Lease",
};

/** A member that all transactions may have: where it stands in their bytes, and what it is. */
type CommonDetail = readonly [
  name: string,
  label: string,
  value: (answered: unknown) => Value,
  field?: string,
];

const IDENTITY_DETAILS: readonly CommonDetail[] = [
  ["id", "Id", transactionValue],
  ["type", "Type", plainValue, "type"],
  ["version", "Version", plainValue, "version"],
  ["timestamp", "Time", timeValue, "timestamp"],
  ["sender", "Sender", addressValue, "sender"],
];

const FEE_DETAILS: readonly CommonDetail[] = [
  ["fee", "Fee offered", amountValue, "fee"],
  ["effectiveFee", "Fee paid", amountValue],
  ["sponsor", "Sponsor", addressValue, "sponsor"],
  ["effectiveSponsor", "Fee paid by", addressValue],
];

const BLOCK_DETAILS: readonly CommonDetail[] = [
  ["status", "Status", plainValue],
  ["height", "Height", heightValue],
  ["blockSignature", "Block", blockValue],
];

/** Members that say with another one what it is. */
const JOINED_NAMES = ["senderKeyType", "senderPublicKey", "sponsorKeyType", "sponsorPublicKey"];

/** What a node adds, and is a transaction itself. */
const NESTED_NAMES = ["lease"];

function commonDetails(shown: ShownTransaction, list: readonly CommonDetail[]): Detail[] {
  return list.flatMap(([name, label, value, field]) => {
    const answered = shown[name];
    // Blocks at the very tip may have no id yet.
    if (answered === undefined || answered === "") return [];
    return [detailOf(name, value(answered), { label, field })];
  });
}

function keyDetails(shown: ShownTransaction, party: "sender" | "sponsor"): Detail[] {
  const base58 = shown[`${party}PublicKey`];
  if (base58 === undefined) return [];
  const keyType = shown[`${party}KeyType`] ?? "ed25519";
  const label = party === "sender" ? "Sender's key" : "Sponsor's key";
  return [detailOf(`${party}PublicKey`, { kind: "key", keyType, base58 }, { label, field: party })];
}

function proofDetails(shown: ShownTransaction): Detail[] {
  const { signature, proofs } = shown;
  const list: Detail[] = [];
  if (signature !== undefined)
    list.push(detailOf("signature", signatureValue(signature), { field: "signature" }));
  if (proofs !== undefined) {
    const items = proofs.map(signatureValue);
    const label = items.length === 1 ? "Signature" : "Signatures";
    list.push(detailOf("proofs", { kind: "list", items }, { label, field: "proofs" }));
  }
  return list;
}

/** The members that only this type has. */
function ownDetails(shown: ShownTransaction, definition: TransactionDefinition): Detail[] {
  const bytesKind = definition.anchors === undefined ? "bytes" : "hash";
  const own = (name: string): Detail | undefined => {
    const answered = shown[name];
    const field = definition.fields.get(name);
    if (answered === undefined || (field === undefined && !definition.derived.has(name))) return undefined;
    const value =
      BY_NAME[name]?.(answered) ??
      (field === undefined ? plainValue(answered) : shapedValue(answered, field.shape, bytesKind));
    const label = LABELS[name];
    return detailOf(name, value, {
      ...(label === undefined ? {} : { label }),
      field: field === undefined ? undefined : name,
    });
  };
  return definition.json.map(own).filter((member) => member !== undefined);
}

/** All members of a transaction: what identifies it, what is its type's own, what it costs, what proves it. */
export function transactionDetails(shown: ShownTransaction): readonly Detail[] {
  const definition = definitionOfShown(shown);
  const known = [
    ...commonDetails(shown, IDENTITY_DETAILS).map((member) =>
      // The number says little to people.
      member.name === "type"
        ? { ...member, value: { kind: "text", text: `${typeNameOf(shown)} (${shown.type})` } as const }
        : member,
    ),
    ...keyDetails(shown, "sender"),
    ...(definition === undefined ? [] : ownDetails(shown, definition)),
    ...commonDetails(shown, FEE_DETAILS),
    ...keyDetails(shown, "sponsor"),
    ...proofDetails(shown),
    ...commonDetails(shown, BLOCK_DETAILS),
  ];
  const names = new Set([
    ...known.map(({ name }) => name),
    ...JOINED_NAMES,
    ...NESTED_NAMES,
    "blockSignature",
  ]);
  // What a type has that is newer than this page, or a node adds that we know nothing of.
  const others = Object.entries(shown)
    .filter(([name]) => !names.has(name))
    .map(([name, answered]) => detailOf(name, plainValue(answered)));
  return [...known, ...others];
}
