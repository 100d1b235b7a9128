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

/** Invalid value of a form field. `also` is the error of a second field. */
export class FieldError extends Error {
  override readonly name = "FieldError";
  readonly field: string;
  readonly also: FieldError | undefined;

  constructor(field: string, message: string, also?: FieldError) {
    super(message);
    this.field = field;
    this.also = also;
  }
}

function tryField<T>(parse: () => T): T | FieldError {
  try {
    return parse();
  } catch (error) {
    if (error instanceof FieldError) return error;
    throw error;
  }
}

/**
 * In 10⁻⁸ tokens.
 * @throws FieldError
 */
function parseAmount(text: string): bigint {
  try {
    const amount = parseTokens(text);
    if (amount > 0n) return amount;
  } catch (error) {
    if (error instanceof AmountError) throw new FieldError("amount", error.message);
    throw error;
  }
  throw new FieldError("amount", texts.amount);
}

const MAX_ADDRESS_CHARACTERS = 60;

const bytesOf = (address: string): Uint8Array | undefined =>
  tryDecode(() => decodeBase58(address, MAX_ADDRESS_CHARACTERS));

/**
 * Checks length and network; the node checks the rest.
 * @throws FieldError
 */
function parseRecipient(text: string, sender: string): string {
  const address = text.trim().replace(/^(address:|did:lto:)/, "");
  if (address === "") throw new FieldError("recipient", texts.recipientMissing);
  const bytes = bytesOf(address);
  if (bytes?.length !== ADDRESS_LENGTH) throw new FieldError("recipient", texts.recipientInvalid);
  if (bytes[1] !== bytesOf(sender)?.[1]) throw new FieldError("recipient", texts.recipientNetwork);
  return address;
}

/** @throws FieldError for the first invalid field, with a second one in `also` */
export function parseWalletAction(
  kind: WalletActionKind,
  values: FormValues,
  {
    accounts,
    leases,
  }: { readonly accounts: readonly SpendableAccount[]; readonly leases: readonly ActiveLease[] },
): WalletAction {
  if (kind === "cancel") {
    const lease = leases.find(({ id }) => id === values.lease);
    if (lease === undefined) throw new FieldError("lease", texts.lease);
    return { kind, sender: lease.sender, lease };
  }
  const account = accounts.find(({ address }) => address === values.sender);
  if (account === undefined) throw new FieldError("sender", texts.sender);
  const sender = account.address;
  if (kind === "anchor") {
    const hash = parseHash(values.hash ?? "");
    if (hash === undefined) throw new FieldError("hash", texts.hash);
    return { kind, sender, hash };
  }
  const recipient = tryField(() => parseRecipient(values.recipient ?? "", sender));
  const amount = tryField(() => parseAmount(values.amount ?? ""));
  if (recipient instanceof FieldError)
    throw new FieldError(
      recipient.field,
      recipient.message,
      amount instanceof FieldError ? amount : undefined,
    );
  if (amount instanceof FieldError) throw amount;
  if (kind === "lease" && recipient === sender) throw new FieldError("recipient", texts.recipientSelf);
  if (amount > account.available)
    throw new FieldError("amount", texts.balance(amountText(account.available)));
  return { kind, sender, recipient, amount };
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
