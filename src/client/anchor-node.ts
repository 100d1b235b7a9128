import { decodeBase58, encodeBase58 } from "../bytes/base58.ts";
import { bytesEqual } from "../bytes/compare.ts";
import { tryDecode } from "../bytes/errors.ts";
import { encodeHex } from "../bytes/hex.ts";
import { ADDRESS_LENGTH } from "../crypto/addresses.ts";
import { type BoundedFetchOptions, fetchBounded, InvalidAnswerError, parseAnswer } from "./bounded-fetch.ts";
import { type Decoded, membersOf } from "./decode.ts";

/** Maximum sizes of answers, bytes. */
const MAX_SMALL_BYTES = 65_536;
const MAX_TRANSACTION_BYTES = 4_194_304;
const MAX_HEADERS_BYTES = 1_048_576;
const MAX_BLOCK_BYTES = 8_388_608;

const BLOCK_ID_LENGTH = 64;
/** In Base58 characters. */
const MAX_ID_TEXT_LENGTH = 88;
/** Headers per request, and depth of forks. Page 03 §14. */
const MAX_RANGE = 100;
const MAX_HEIGHT = 2 ** 31 - 1;

/** What a node says about a transaction. `unknown`: it is neither in a block nor in the pool. */
export type TransactionFacts =
  | {
      readonly state: "in a block";
      readonly height: number;
      readonly tipHeight: number;
      readonly blockId: Uint8Array;
      readonly generator: Uint8Array;
      readonly genesisId: Uint8Array;
    }
  | { readonly state: "in the pool" | "unknown" };

function parseHeight(answer: Decoded): number {
  const { height } = membersOf(answer);
  const isHeight = typeof height === "number" && Number.isInteger(height) && height > 0;
  if (!isHeight || height > MAX_HEIGHT) throw new InvalidAnswerError("its answer has no height");
  return height;
}

function parseBase58(value: unknown, length: number, name: string): Uint8Array {
  const bytes =
    typeof value === "string" ? tryDecode(() => decodeBase58(value, MAX_ID_TEXT_LENGTH)) : undefined;
  if (bytes?.length === length) return bytes;
  throw new InvalidAnswerError(`its answer has no ${name} of ${length} bytes`);
}

export class AnchorNode {
  /** Without a trailing slash. */
  readonly url: string;
  readonly #options: BoundedFetchOptions;

  constructor(url: string, options: BoundedFetchOptions) {
    this.url = url.replace(/\/+$/, "");
    this.#options = options;
  }

  /** Returns undefined for status 404. @throws NoAnswerError, InvalidAnswerError */
  async #fetchBytes(path: string, limit: number): Promise<Uint8Array | undefined> {
    const { status, bytes } = await fetchBounded(this.#options, this.url + path, limit);
    if (status === 404) return undefined;
    if (status !== 200) throw new InvalidAnswerError(`it answers ${status}`);
    return bytes;
  }

  async #fetchJson(path: string, limit: number): Promise<Decoded | undefined> {
    const bytes = await this.#fetchBytes(path, limit);
    return bytes === undefined ? undefined : parseAnswer(bytes);
  }

  async #fetchRequiredJson(path: string, limit: number): Promise<Decoded> {
    const value = await this.#fetchJson(path, limit);
    if (value === undefined) throw new InvalidAnswerError("it does not have a block of its own chain");
    return value;
  }

  /** Resolves to undefined if the node has no proof. @throws NoAnswerError, InvalidAnswerError */
  fetchProof(hash: Uint8Array): Promise<Decoded | undefined> {
    return this.#fetchJson(`/index/hash/${encodeHex(hash)}`, MAX_SMALL_BYTES);
  }

  /** Resolves to undefined if the node does not have the block. @throws NoAnswerError, InvalidAnswerError */
  fetchBlock(id: Uint8Array): Promise<Uint8Array | undefined> {
    return this.#fetchBytes(`/blocks/bytes/${encodeBase58(id)}`, MAX_BLOCK_BYTES);
  }

  /**
   * Finds a transaction, and checks that its block and the next headers form a chain.
   * @throws NoAnswerError, InvalidAnswerError
   */
  async findTransaction(transactionId: Uint8Array): Promise<TransactionFacts> {
    const id = encodeBase58(transactionId);
    const confirmed = await this.#fetchJson(`/transactions/info/${id}`, MAX_TRANSACTION_BYTES);
    if (confirmed === undefined) {
      const pending = await this.#fetchJson(`/transactions/unconfirmed/info/${id}`, MAX_TRANSACTION_BYTES);
      return { state: pending === undefined ? "unknown" : "in the pool" };
    }
    const height = parseHeight(confirmed);
    const tipHeight = parseHeight(await this.#fetchRequiredJson("/blocks/height", MAX_SMALL_BYTES));
    const last = Math.min(tipHeight, height + MAX_RANGE - 1);
    if (last < height) throw new InvalidAnswerError(`its chain ends at height ${tipHeight}, below ${height}`);
    const headers = await this.#fetchRequiredJson(`/blocks/headers/seq/${height}/${last}`, MAX_HEADERS_BYTES);
    const count = last - height + 1;
    if (!Array.isArray(headers) || headers.length !== count)
      throw new InvalidAnswerError(`it does not list the ${count} blocks from height ${height} on`);
    const ids = headers.map((header: Decoded, i) => {
      if (parseHeight(header) !== height + i) throw new InvalidAnswerError("its blocks are out of order");
      const members = membersOf(header);
      return {
        id: parseBase58(members.signature, BLOCK_ID_LENGTH, "signature"),
        reference: parseBase58(members.reference, BLOCK_ID_LENGTH, "reference"),
      };
    });
    for (let i = 1; i < ids.length; i++)
      if (!bytesEqual(ids[i].reference, ids[i - 1].id))
        throw new InvalidAnswerError(`its block ${height + i} does not refer to its block ${height + i - 1}`);
    const genesis = membersOf(await this.#fetchRequiredJson("/blocks/headers/at/1", MAX_SMALL_BYTES));
    return {
      state: "in a block",
      height,
      tipHeight,
      blockId: ids[0].id,
      generator: parseBase58(membersOf(headers[0]).generator, ADDRESS_LENGTH, "generator"),
      genesisId: parseBase58(genesis.signature, BLOCK_ID_LENGTH, "signature"),
    };
  }
}
