/** Wallet content, and its plain form inside the encrypted file. Page 01 §9.2. */
import { BaseError } from "../errors/base-error.ts";
import { secureBytes } from "./sodium.ts";

/** Wallet secrets, possibly in secure memory; the data's owner wipes them. */
export interface WalletData {
  /** Any length; empty in an account-based wallet. */
  readonly seed: Uint8Array;
  /** Oldest first. */
  readonly accountSeeds: readonly Uint8Array[];
  /** Last used nonce, 0 to 2^31 - 1. */
  readonly nonce: number;
  /** Only in an account-based wallet. */
  readonly accountSeed?: Uint8Array | undefined;
}

export class WalletDataError extends BaseError {}

export const MAX_NONCE = 2 ** 31 - 1;
const MAX_SEED = 0xffff;

function textLength(bytes: Uint8Array): number {
  if (bytes.length > MAX_SEED) throw new WalletDataError(`A seed exceeds ${MAX_SEED} bytes`);
  return 2 + bytes.length;
}

/**
 * Encodes into secure memory: nonce (4), account-based (1), [account seed], seed, number of account seeds (4), account
 * seeds. A length (2) precedes each byte string.
 * @throws WalletDataError if a seed exceeds 65535 bytes
 */
export function walletDataBytes(data: WalletData): Uint8Array {
  const strings = [
    ...(data.accountSeed === undefined ? [] : [data.accountSeed]),
    data.seed,
    ...data.accountSeeds,
  ];
  const bytes = secureBytes(strings.reduce((sum, one) => sum + textLength(one), 4 + 1 + 4));
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const put = (one: Uint8Array) => {
    view.setUint16(at, one.length);
    bytes.set(one, at + 2);
    at += 2 + one.length;
  };
  view.setInt32(0, data.nonce);
  view.setUint8(4, data.accountSeed === undefined ? 0 : 1);
  at = 5;
  if (data.accountSeed !== undefined) put(data.accountSeed);
  put(data.seed);
  view.setUint32(at, data.accountSeeds.length);
  at += 4;
  for (const one of data.accountSeeds) put(one);
  return bytes;
}

/**
 * Parses the plain form into views of `bytes`.
 * @throws WalletDataError
 */
export function parseWalletData(bytes: Uint8Array): WalletData {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const need = (length: number) => {
    if (at + length > bytes.length) throw new WalletDataError("The wallet's data is truncated");
    at += length;
    return at - length;
  };
  const take = () => {
    const length = view.getUint16(need(2));
    const start = need(length);
    return bytes.subarray(start, start + length);
  };
  const nonce = view.getInt32(need(4));
  const mark = view.getUint8(need(1));
  if (nonce < 0 || mark > 1) throw new WalletDataError("The wallet's data is damaged");
  const accountSeed = mark === 1 ? take() : undefined;
  const seed = take();
  const count = view.getUint32(need(4));
  const accountSeeds: Uint8Array[] = [];
  for (let i = 0; i < count; i++) accountSeeds.push(take());
  if (at !== bytes.length) throw new WalletDataError("The wallet's data has extra bytes at the end");
  return { seed, accountSeeds, nonce, ...(accountSeed === undefined ? {} : { accountSeed }) };
}
