/** Makes requests about the blocks of a chain, for tests that compare answers. */
import { encodeBase58 } from "../bytes/base58.ts";
import { encodeHex } from "../bytes/hex.ts";
import { addressText } from "../crypto/addresses.ts";
import type { ChainSnapshot } from "../interfaces.ts";
import { definitionOf, transactionId } from "../transactions/index.ts";
import type { SeededRandom } from "./seeded-random.ts";

/** Values of path parameters by name. Some of them were never on the chain, or left it. */
export class RouteSubjects {
  readonly known = new Map<string, string[]>([
    ["height", ["1", "999"]],
    ["from", ["1"]],
    ["to", ["5", "30"]],
    ["confirmations", ["0", "3", "1000"]],
    ["blockNum", ["1"]],
    ["key", ["a"]],
    ["encoding", ["hex"]],
    ["type", ["all", "transfer"]],
    ["secret", ["2ecUjVz"]],
    ["did", []],
    ["signature", []],
    ["address", []],
    ["id", []],
    ["hash", []],
    ["blockId", []],
    ["publicKey", []],
    ["text", ["3", "12"]],
    ["limit", ["1", "100"]],
  ]);

  #add(name: string, value: string): void {
    const list = this.known.get(name);
    if (list !== undefined && !list.includes(value)) list.push(value);
  }

  /** Collects values from the newest blocks; values that left the chain stay. */
  look(chain: ChainSnapshot): void {
    for (let height = Math.max(1, chain.height() - 1); height <= chain.height(); height++) {
      const block = chain.blocks.at(height);
      if (block === undefined) continue;
      this.#add("height", String(height));
      this.#add("signature", encodeBase58(block.id));
      this.#add("blockId", encodeBase58(block.id));
      for (const { transaction } of block.transactions) {
        const address = addressText(transaction.senderAddress);
        this.#add("address", address);
        this.#add("text", address.slice(0, 5));
        this.#add("publicKey", encodeBase58(transaction.sender.bytes));
        this.#add("did", `did:lto:${address}`);
        this.#add("id", encodeBase58(transactionId(transaction)));
        for (const hash of definitionOf(transaction).anchors?.(transaction) ?? [])
          this.#add("hash", encodeHex(hash));
      }
    }
  }

  /** Returns a path of a route, with values that may or may not exist, newer ones more often. */
  url(path: string, random: SeededRandom): string {
    return path.replace(/:(\w+)/g, (_, name: string) => {
      const list = this.known.get(name);
      if (list === undefined) throw new Error(`What is :${name}?`);
      const recent = list.slice(-6);
      return recent.length === 0 ? "none" : random.pick(random.chance(80) ? recent : list);
    });
  }
}
