/** Wallet actions of the page: parses the form, and builds the body of the signing request. */
import { decodeBase58, encodeBase58 } from "../../../bytes/base58.ts";
import { tryDecode } from "../../../bytes/errors.ts";
import { encodeHex } from "../../../bytes/hex.ts";
import { tokenText } from "../../../bytes/tokens.ts";
import { ADDRESS_LENGTH } from "../../../crypto/addresses.ts";
import { definitions } from "../../../transactions/index.ts";
import { parseHash } from "../../check/parse-input.ts";
import { AmountError, parseTokens } from "../../text/amounts.ts";

/** Amounts are in the smallest unit. */
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

/** A lease that its sender can cancel. */
export interface ActiveLease {
  readonly id: string;
  readonly sender: string;
  readonly recipient: string;
  readonly amount: bigint;
}

export interface SpendableAccount {
  readonly address: string;
  readonly available: bigint;
}

/** Form values by field name. */
export type FormValues = Readonly<Record<string, string>>;

/** An invalid form field. The message is a sentence for the user. */
export class FieldError extends Error {
  override readonly name = "FieldError";
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}

/** @throws FieldError */
function parseAmount(text: string): bigint {
  try {
    const amount = parseTokens(text);
    if (amount > 0n) return amount;
  } catch (error) {
    if (error instanceof AmountError) throw new FieldError("amount", error.message);
    throw error;
  }
  throw new FieldError("amount", "Nothing is no amount: write how many tokens.");
}

const MAX_ADDRESS_TEXT = 60;

const bytesOf = (address: string): Uint8Array | undefined =>
  tryDecode(() => decodeBase58(address, MAX_ADDRESS_TEXT));

/** Checks length and network byte of a recipient; the node checks the rest. @throws FieldError */
function parseRecipient(text: string, sender: string): string {
  const address = text.trim().replace(/^(address:|did:lto:)/, "");
  if (address === "") throw new FieldError("recipient", "Write the address of the recipient.");
  const bytes = bytesOf(address);
  if (bytes?.length !== ADDRESS_LENGTH) throw new FieldError("recipient", "That is no address.");
  if (bytes[1] !== bytesOf(sender)?.[1])
    throw new FieldError("recipient", "That address is one of another network.");
  return address;
}

/**
 * Parses the form of a wallet action.
 * @throws FieldError for the first invalid field
 */
export function parseWalletAction(
  kind: WalletActionKind,
  filled: FormValues,
  {
    accounts,
    leases,
  }: { readonly accounts: readonly SpendableAccount[]; readonly leases: readonly ActiveLease[] },
): WalletAction {
  if (kind === "cancel") {
    const lease = leases.find(({ id }) => id === filled.lease);
    if (lease === undefined) throw new FieldError("lease", "Choose the lease that is to end.");
    return { kind, sender: lease.sender, lease };
  }
  const account = accounts.find(({ address }) => address === filled.sender);
  if (account === undefined) throw new FieldError("sender", "Choose one of the node's accounts.");
  const sender = account.address;
  if (kind === "anchor") {
    const hash = parseHash(filled.hash ?? "");
    if (hash === undefined)
      throw new FieldError("hash", "Give a file, or a hash in hexadecimal, Base58 or Base64.");
    return { kind, sender, hash };
  }
  const recipient = parseRecipient(filled.recipient ?? "", sender);
  const amount = parseAmount(filled.amount ?? "");
  if (kind === "lease" && recipient === sender)
    throw new FieldError("recipient", "An account cannot lease to itself.");
  if (amount > account.available)
    throw new FieldError("amount", `The account can spend ${tokenText(account.available)}, no more.`);
  return { kind, sender, recipient, amount };
}

const names: Readonly<Record<WalletActionKind, string>> = {
  send: "transfer",
  lease: "lease",
  cancel: "cancel lease",
  anchor: "anchor",
};

/** Returns the body of the signing request, without the fee. */
export function signRequestOf(
  action: WalletAction,
): Readonly<Record<string, string | number | bigint | readonly string[]>> {
  const type = definitions.find(({ name }) => name === names[action.kind])?.type ?? 0;
  const common = { type, sender: action.sender };
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

/** Returns the amount, without the fee, that the account can no longer spend. */
export function costOf(action: WalletAction): bigint {
  return action.kind === "send" || action.kind === "lease" ? action.amount : 0n;
}

/** Describes the consequence in sentences. */
export function consequenceOf(action: WalletAction): string {
  switch (action.kind) {
    case "send":
      return "The tokens belong to the recipient then: nobody can take them back.";
    case "lease":
      return (
        "The tokens stay with the account and count for the recipient, when it forges. They cannot be spent until " +
        "the lease is cancelled, which can be done at any time, and some blocks have passed."
      );
    case "cancel":
      return "The lease ends with the next block. The tokens can be spent again when some blocks have passed.";
    case "anchor":
      return `The hash ${encodeHex(action.hash)} stands on the chain for good, with its time. Nothing else of the file is sent.`;
  }
}
