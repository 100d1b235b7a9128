import { decodeBase58, encodeBase58 } from "../../../bytes/base58.ts";
import { tryDecode } from "../../../bytes/errors.ts";
import { ADDRESS_LENGTH } from "../../../crypto/addresses.ts";
import { parseHash } from "../../check/parse-input.ts";
import { AmountError, parseTokens } from "../../text/amounts.ts";
import { amountText } from "../../text/text.ts";
import { accountsTexts } from "./texts.ts";

const { errors: texts } = accountsTexts;

/** Amounts are in units of 10⁻⁸ tokens. */
export type WalletAction =
  | {
      readonly kind: "send" | "lease";
      readonly sender: string;
      readonly recipient: string;
      readonly amount: bigint;
    }
  | { readonly kind: "cancel"; readonly sender: string; readonly lease: ActiveLease }
  | { readonly kind: "anchor"; readonly sender: string; readonly hash: Uint8Array };

export type WalletActionKind = WalletAction["kind"];

export interface ActiveLease {
  readonly id: string;
  readonly sender: string;
  readonly recipient: string;
  readonly amount: bigint;
}

export interface SpendableAccount {
  readonly address: string;
  /** In 10⁻⁸ tokens. */
  readonly available: bigint;
}

export type FormValues = Readonly<Record<string, string>>;

/** Messages about invalid fields of a form, by field. */
export type FieldMessages = Readonly<Record<string, string | undefined>>;

export class FieldError extends Error {
  override readonly name = "FieldError";
  readonly messages: FieldMessages;

  constructor(messages: FieldMessages) {
    super("Invalid form");
    this.messages = messages;
  }
}

/** Undefined for a valid amount. */
function amountProblem(text: string, available: bigint): string | undefined {
  try {
    const amount = parseTokens(text);
    if (amount > available) return texts.balance(amountText(available));
    return amount === 0n ? texts.amount : undefined;
  } catch (error) {
    if (error instanceof AmountError) return error.message;
    throw error;
  }
}

const MAX_ADDRESS_CHARACTERS = 60;

const bytesOf = (address: string): Uint8Array | undefined =>
  tryDecode(() => decodeBase58(address, MAX_ADDRESS_CHARACTERS));

/** Checks length and network; the node checks the rest. Undefined for a valid address. */
function recipientProblem(kind: WalletActionKind, address: string, sender: string): string | undefined {
  if (address === "") return texts.recipientMissing;
  const bytes = bytesOf(address);
  if (bytes?.length !== ADDRESS_LENGTH) return texts.recipientInvalid;
  if (bytes[1] !== bytesOf(sender)?.[1]) return texts.recipientNetwork;
  return kind === "lease" && address === sender ? texts.recipientSelf : undefined;
}

export interface Choices {
  readonly accounts: readonly SpendableAccount[];
  readonly leases: readonly ActiveLease[];
}

/** @throws FieldError */
export function parseWalletAction(
  kind: WalletActionKind,
  values: FormValues,
  { accounts, leases }: Choices,
): WalletAction {
  if (kind === "cancel") {
    const lease = leases.find(({ id }) => id === values.lease);
    if (lease === undefined) throw new FieldError({ lease: texts.lease });
    return { kind, sender: lease.sender, lease };
  }
  const account = accounts.find(({ address }) => address === values.sender);
  if (account === undefined) throw new FieldError({ sender: texts.sender });
  const { address: sender, available } = account;
  if (kind === "anchor") {
    const hash = parseHash(values.hash ?? "");
    if (hash === undefined) throw new FieldError({ hash: texts.hash });
    return { kind, sender, hash };
  }
  const { recipient: to = "", amount = "" } = values;
  const recipient = to.trim().replace(/^(address:|did:lto:)/, "");
  const messages = {
    recipient: recipientProblem(kind, recipient, sender),
    amount: amountProblem(amount, available),
  };
  if (Object.values(messages).some((message) => message !== undefined)) throw new FieldError(messages);
  return { kind, sender, recipient, amount: parseTokens(amount) };
}

const TRANSACTION_TYPES: Readonly<Record<WalletActionKind, number>> = {
  send: 4,
  lease: 8,
  cancel: 9,
  anchor: 15,
};

export function signRequestOf(
  action: WalletAction,
): Readonly<Record<string, string | number | bigint | readonly string[]>> {
  const common = { type: TRANSACTION_TYPES[action.kind], sender: action.sender };
  switch (action.kind) {
    case "send":
    case "lease":
      return { ...common, recipient: action.recipient, amount: action.amount };
    case "cancel":
      return { ...common, leaseId: action.lease.id };
    case "anchor":
      return { ...common, anchors: [encodeBase58(action.hash)] };
  }
}

export function spentAmountOf(action: WalletAction): bigint {
  return action.kind === "send" || action.kind === "lease" ? action.amount : 0n;
}
