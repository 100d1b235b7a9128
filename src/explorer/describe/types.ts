/** Names of the transaction types, and sentences about their transactions. */
import { countText } from "../text/text.ts";
import type { Value } from "./value.ts";

export type SentencePart = string | Value;

export type Members = Readonly<Partial<Record<string, Value>>>;

interface TransactionType {
  readonly name: string;
  readonly action: (members: Members) => readonly SentencePart[];
}

/** Template tag: a flat list of texts and values, without undefined values. */
export function sentence(
  texts: TemplateStringsArray,
  ...values: readonly (SentencePart | readonly SentencePart[] | undefined)[]
): readonly SentencePart[] {
  return texts.flatMap((text, i) => [text, values[i] ?? ""].flat()).filter((part) => part !== "");
}

/** Shows a single address or hash, otherwise the number of items. */
function countItems(list: Value | undefined, singular: string, plural?: string): SentencePart {
  const items = list?.kind === "list" ? list.items : [];
  const [first] = items;
  if (items.length === 1 && (first.kind === "address" || first.kind === "hash")) return first;
  return countText(items.length, singular, plural);
}

const about = (value: Value | undefined) => value && sentence` about ${value}`;

const addedOrRemoved = (value: Value | undefined, noun: string): readonly SentencePart[] =>
  value === undefined
    ? sentence`removed the ${noun} from its account`
    : sentence`added ${value} to its account`;

export const transactionTypes: Readonly<Record<number, TransactionType>> = {
  1: {
    name: "genesis",
    action: ({ amount, recipient }) => sentence`The first block gave ${amount} to ${recipient}`,
  },
  2: {
    name: "payment",
    action: ({ sender, amount, recipient }) => sentence`${sender} paid ${amount} to ${recipient}`,
  },
  4: {
    name: "transfer",
    action: ({ sender, amount, recipient }) => sentence`${sender} sent ${amount} to ${recipient}`,
  },
  8: {
    name: "lease",
    action: ({ sender, amount, recipient }) => sentence`${sender} leased ${amount} to ${recipient}`,
  },
  9: {
    name: "cancel lease",
    action: ({ sender, leaseId }) => sentence`${sender} cancelled the lease ${leaseId}`,
  },
  11: {
    name: "mass transfer",
    action: ({ sender, totalAmount, transfers }) =>
      sentence`${sender} sent ${totalAmount} to ${countItems(transfers, "account")}`,
  },
  12: {
    name: "data",
    action: ({ sender, data }) =>
      sentence`${sender} wrote ${countItems(data, "data entry", "data entries")} to its account`,
  },
  13: {
    name: "set script",
    action: ({ sender, script }) => sentence`${sender} ${addedOrRemoved(script, "script")}`,
  },
  15: {
    name: "anchor",
    action: ({ sender, anchors }) => sentence`${sender} anchored ${countItems(anchors, "hash", "hashes")}`,
  },
  16: {
    name: "issue association",
    action: ({ sender, associationType, recipient, subject }) =>
      sentence`${sender} issued an association of type ${associationType} to ${recipient}${about(subject)}`,
  },
  17: {
    name: "revoke association",
    action: ({ sender, associationType, recipient, subject }) =>
      sentence`${sender} revoked an association of type ${associationType} to ${recipient}${about(subject)}`,
  },
  18: {
    name: "sponsorship",
    action: ({ sender, recipient }) => sentence`${sender} started paying the fees of ${recipient}`,
  },
  19: {
    name: "cancel sponsorship",
    action: ({ sender, recipient }) => sentence`${sender} stopped paying the fees of ${recipient}`,
  },
  20: {
    name: "register",
    action: ({ sender, accounts }) => sentence`${sender} registered ${countItems(accounts, "key")}`,
  },
  21: { name: "burn", action: ({ sender, amount }) => sentence`${sender} burned ${amount}` },
  22: {
    name: "mapped anchor",
    action: ({ sender, anchors }) =>
      sentence`${sender} anchored ${countItems(anchors, "hash under a key", "hashes under keys")}`,
  },
  23: {
    name: "statement",
    action: ({ sender, statementType, recipient, subject }) =>
      sentence`${sender} made a statement of type ${statementType}${about(recipient)}${
        subject && sentence` with subject ${subject}`
      }`,
  },
  24: {
    name: "certificate",
    action: ({ sender, certificate }) => sentence`${sender} ${addedOrRemoved(certificate, "certificate")}`,
  },
};
