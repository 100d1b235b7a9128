/** Sends named transactions to a node and makes blocks. */
import { encodeBase58 } from "../../../src/bytes/base58.ts";
import { addressOf, addressText } from "../../../src/crypto/addresses.ts";
import type { KeyPair } from "../../../src/crypto/signatures.ts";
import type { Node } from "../../../src/node.ts";
import { buildTransaction, typeOf } from "../../../src/testing/build-transaction.ts";
import type { VirtualClock } from "../../../src/testing/virtual-clock.ts";
import { transactionId } from "../../../src/transactions/index.ts";

export const LTO = 100_000_000n;
/** More than any type costs. */
const FEE = 5n * LTO;
/** Timeout for the next block by the virtual clock, ms. */
const BLOCK_TIMEOUT_MS = 600_000;

export interface SendOptions {
  readonly version?: number;
  readonly sponsor?: KeyPair;
  readonly fee?: bigint;
}

export class Teller {
  /** Transaction ids by name, Base58. */
  readonly ids = new Map<string, string>();
  #serial = 0;

  constructor(
    private readonly node: () => Node,
    readonly clock: VirtualClock,
    readonly chainId: number,
  ) {}

  address({ publicKey }: KeyPair): Uint8Array {
    return addressOf(publicKey, this.chainId);
  }

  text(keyPair: KeyPair): string {
    return addressText(this.address(keyPair));
  }

  get height(): number {
    return this.node().chain.tip.height;
  }

  /** Puts a transaction into the pool. @throws Error if the node rejects it */
  send(
    name: string,
    type: string,
    sender: KeyPair,
    members: Readonly<Record<string, unknown>>,
    { version, sponsor, fee = FEE }: SendOptions = {},
  ): Uint8Array {
    const transaction = buildTransaction({
      type: typeOf(type),
      sender,
      sponsor,
      fee,
      timestamp: this.clock.now() + (this.#serial++ % 100),
      chainId: this.chainId,
      members,
      ...(version === undefined ? {} : { version }),
    });
    const admission = this.node().pool.add(transaction);
    if (!admission.ok) throw new Error(`${name}: ${admission.error.kind}(${admission.error.args.join(",")})`);
    const id = transactionId(transaction);
    this.ids.set(name, encodeBase58(id));
    return id;
  }

  /** Advances the clock until `count` more key blocks exist. */
  blocks(count = 1): void {
    const targetHeight = this.height + count;
    const end = this.clock.now() + BLOCK_TIMEOUT_MS * count;
    while (this.height < targetHeight) {
      if (this.clock.now() > end) throw new Error("Timeout: no new block");
      this.clock.advance(250);
    }
  }

  /** Lets a micro block include the pool, before the next key block if there is time. */
  settle(): void {
    this.clock.advance(400);
  }
}
