/** The objects that transactions are, with the bytes computed from them. */
import type { PublicKey } from "../crypto/key-types.ts";
import { cachedAddressOf } from "./address-cache.ts";
import type { TransactionBase } from "./base.ts";

/** What was computed from a transaction. */
class Computed {
  /** Full bytes. */
  bytes: Uint8Array | undefined;
  /** Where the body stands in the full bytes; of no meaning without them. */
  bodyStart = 0;
  bodyEnd = 0;
  /** Body bytes. */
  body: Uint8Array | undefined;
  id: Uint8Array | undefined;
  /** Whether the transaction was read from bytes, and is written in exactly these. */
  canonical = false;
}

/**
 * A transaction of whatever type. What is computed from it is kept in a private field, so that a copy made by
 * spreading never carries bytes that are not its own.
 */
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

  /** Sets a member: one that all transactions have, or the type's own. The value must be one for that member. */
  set(member: string, value: unknown): void {
    // By name where they are known: by a name that varies it takes several times as long.
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

  /** Fills in what follows from the members: to be called once they are all set. */
  complete(chainId: number): this {
    this.senderAddress = cachedAddressOf(this.sender, chainId);
    if (this.sponsor !== undefined) this.sponsorAddress = cachedAddressOf(this.sponsor, chainId);
    return this;
  }

  /** What was computed from `tx`; kept only for objects that this module made. */
  static computed(tx: TransactionBase): Computed {
    return #computed in tx ? tx.#computed : new Computed();
  }
}

/** The sender of genesis transactions: a dummy that no signature fits. Page 02 §10.1. */
export const GENESIS_SENDER: PublicKey = { keyType: "ed25519", bytes: Uint8Array.of(0) };

const NO_BYTES = new Uint8Array(0);
const NO_PROOFS: readonly Uint8Array[] = [];
