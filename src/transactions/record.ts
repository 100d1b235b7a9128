import type { PublicKey } from "../crypto/key-types.ts";
import { cachedAddressOf } from "./address-cache.ts";
import type { TransactionBase } from "./base.ts";

class Computed {
  bytes: Uint8Array | undefined;
  /** Position of the body in `bytes`. */
  bodyStart = 0;
  bodyEnd = 0;
  body: Uint8Array | undefined;
  id: Uint8Array | undefined;
  /** True if the transaction was parsed from its canonical bytes. */
  canonical = false;
}

/** Computed values are private, so that spread copies do not inherit them. */
export class TransactionRecord implements TransactionBase {
  readonly type: number;
  readonly version: number;
  chainId: number;
  timestamp = 0n;
  sender: PublicKey = GENESIS_SENDER;
  senderAddress: Uint8Array = NO_BYTES;
  sponsor: PublicKey | undefined = undefined;
  sponsorAddress: Uint8Array | undefined = undefined;
  fee = 0n;
  proofs: readonly Uint8Array[] = NO_PROOFS;
  readonly #computed = new Computed();

  constructor(type: number, version: number, chainId: number) {
    this.type = type;
    this.version = version;
    this.chainId = chainId;
  }

  /** Does not check the value. */
  set(member: string, value: unknown): void {
    // Assigning by variable name is several times slower.
    switch (member) {
      case "chainId":
        this.chainId = value as number;
        break;
      case "timestamp":
        this.timestamp = value as bigint;
        break;
      case "sender":
        this.sender = value as PublicKey;
        break;
      case "fee":
        this.fee = value as bigint;
        break;
      default:
        (this as Record<string, unknown>)[member] = value;
    }
  }

  /** Computes addresses. Call this after setting all members. */
  complete(chainId: number): this {
    this.senderAddress = cachedAddressOf(this.sender, chainId);
    if (this.sponsor !== undefined) this.sponsorAddress = cachedAddressOf(this.sponsor, chainId);
    return this;
  }

  /** Returns the cached values; for objects of other classes, an empty cache. */
  static computed(tx: TransactionBase): Computed {
    return #computed in tx ? tx.#computed : new Computed();
  }
}

/** A dummy key for which no signature is valid. Page 02 §10.1. */
export const GENESIS_SENDER: PublicKey = { keyType: "ed25519", bytes: Uint8Array.of(0) };

const NO_BYTES = new Uint8Array(0);
const NO_PROOFS: readonly Uint8Array[] = [];
