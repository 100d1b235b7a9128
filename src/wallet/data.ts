/** The content of a wallet, and its serialization inside the encrypted file. Page 01 §9.2. */
import { BaseError } from "../errors/base-error.ts";
import { secureBytes } from "./sodium.ts";

/** Secrets, possibly in secure memory. The code that created the object wipes them. */
export interface WalletData {
  /** At most 65,535 bytes; empty in an account-based wallet. */
  readonly seed: Uint8Array;
  readonly accountSeeds: readonly Uint8Array[];
  /** Last used nonce, 0 to 2^31 - 1. */
  readonly nonce: number;
  /** Set only in an account-based wallet, which has this one account. */
  readonly accountSeed?: Uint8Array | undefined;
}

export class WalletDataError extends BaseError {}

export const MAX_NONCE = 2 ** 31 - 1;
const MAX_SEED_BYTES = 0xffff;

function encodedLength(bytes: Uint8Array): number {
  if (bytes.length > MAX_SEED_BYTES) throw new WalletDataError(`A seed exceeds ${MAX_SEED_BYTES} bytes`);
  return 2 + bytes.length;
}

/**
 * Encodes into secure memory. Layout: nonce (4 bytes), account-based flag (1 byte, 0 or 1), account seed if the flag is
 * 1, seed, number of account seeds (4 bytes), account seeds. A 2-byte length precedes each seed.
 * @throws WalletDataError if a seed exceeds 65535 bytes
 */
export function walletDataBytes(data: WalletData): Uint8Array {
  const seeds = [
    ...(data.accountSeed === undefined ? [] : [data.accountSeed]),
    data.seed,
    ...data.accountSeeds,
  ];
  const bytes = secureBytes(seeds.reduce((sum, seed) => sum + encodedLength(seed), 4 + 1 + 4));
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const put = (seed: Uint8Array) => {
    view.setUint16(at, seed.length);
    bytes.set(seed, at + 2);
    at += 2 + seed.length;
  };
  view.setInt32(0, data.nonce);
  view.setUint8(4, data.accountSeed === undefined ? 0 : 1);
  at = 5;
  if (data.accountSeed !== undefined) put(data.accountSeed);
  put(data.seed);
  view.setUint32(at, data.accountSeeds.length);
  at += 4;
  for (const seed of data.accountSeeds) put(seed);
  return bytes;
}

/** The seeds are views of `bytes`. @throws WalletDataError */
export function parseWalletData(bytes: Uint8Array): WalletData {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const advance = (length: number) => {
    if (at + length > bytes.length) throw new WalletDataError("The wallet's data is truncated");
    at += length;
    return at - length;
  };
  const readSeed = () => {
    const length = view.getUint16(advance(2));
    const start = advance(length);
    return bytes.subarray(start, start + length);
  };
  const nonce = view.getInt32(advance(4));
  const accountFlag = view.getUint8(advance(1));
  if (nonce < 0 || accountFlag > 1) throw new WalletDataError("The wallet's data is damaged");
  const accountSeed = accountFlag === 1 ? readSeed() : undefined;
  const seed = readSeed();
  const count = view.getUint32(advance(4));
  const accountSeeds: Uint8Array[] = [];
  for (let i = 0; i < count; i++) accountSeeds.push(readSeed());
  if (at !== bytes.length) throw new WalletDataError("The wallet's data has extra bytes at the end");
  return { seed, accountSeeds, nonce, ...(accountSeed === undefined ? {} : { accountSeed }) };
}
