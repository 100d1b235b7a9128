/**
 * Users of a whole node with the client library. Its classes build and sign transactions; the node's own code does so
 * where the library cannot sign (ECDSA) or has no class (certificates).
 */
import { Binary, LTO } from "@ltonetwork/lto";
import { RequestError } from "@ltonetwork/lto/errors";
import { MassTransfer, type Transaction } from "@ltonetwork/lto/transactions";
import type { ISigner } from "@ltonetwork/lto/types";
import { expect } from "vitest";
import { encodeBase58 } from "../../src/bytes/base58.ts";
import { addressOf, addressText } from "../../src/crypto/addresses.ts";
import { type KeyPair, sign } from "../../src/crypto/signatures.ts";
import { generateEcdsaKeys } from "../support/ecdsa.ts";
import { heightOf, type JsonAnswer, type NodeProcess, until } from "../support/node-process.ts";
import { signedRequest, walletKeys } from "../support/sign-request.ts";

export const keyTypes = ["ed25519", "secp256k1", "secp256r1"] as const;
export type KeyType = (typeof keyTypes)[number];

/** One token in the units of amounts and fees. */
export const LTO_UNIT = 100_000_000;
const CHAIN_ID = "Z".charCodeAt(0);

export interface Person extends ISigner {
  readonly keys: KeyPair;
}

/** An expected rejection: the error id and a part of its message. */
export interface Refusal {
  readonly error: number;
  readonly message: string;
}

/** The rejection for an insufficient balance. */
export const noFunds: Refusal = { error: 112, message: "State check failed. Reason: negative lto balance" };

/** A scenario that can be repeated on another node: a name, actions and expectations. */
export interface Scenario {
  readonly name: string;
  run(people: People): Promise<void>;
}

export class People {
  private readonly lto = new LTO("Z");
  private readonly root: Person;
  private made = 0;
  private wanted: { person: Person; units: number }[] = [];
  private funding: Promise<void> | undefined;

  constructor(readonly node: NodeProcess) {
    this.lto.nodeAddress = node.url;
    this.root = this.personOf(walletKeys("root"), "ed25519");
  }

  /** Creates an account of that key type with this many tokens. */
  async person(tokens = 0, keyType: KeyType = "ed25519"): Promise<Person> {
    const keys = keyType === "ed25519" ? walletKeys(`person ${this.made++}`) : generateEcdsaKeys(keyType);
    const person = this.personOf(keys, keyType);
    if (tokens > 0) await this.give(person, tokens);
    return person;
  }

  /** Sends this many more tokens. One transaction serves all concurrent requests. */
  async give(person: Person, tokens: number): Promise<void> {
    this.wanted.push({ person, units: Math.round(tokens * LTO_UNIT) });
    this.funding ??= (async () => {
      // Wait for all concurrent requests.
      await new Promise((resolve) => setImmediate(resolve));
      while (this.wanted.length > 0) {
        const transfers = this.wanted
          .splice(0, 100)
          .map(({ person: { address }, units }) => ({ recipient: address, amount: units }));
        await this.send(this.root, new MassTransfer(transfers));
      }
      this.funding = undefined;
    })();
    await this.funding;
  }

  /** Signs and broadcasts a transaction and waits for its confirmation. Returns the answer of `/transactions/info`. */
  async send(sender: Person, transaction: Transaction, options: { version?: number; sponsor?: Person } = {}) {
    if (options.version !== undefined) transaction.version = options.version;
    transaction.signWith(sender);
    if (options.sponsor !== undefined) transaction.sponsorWith(options.sponsor);
    const { id } = await transaction.broadcastTo(this.lto.node);
    const answer = await this.inBlock(String(id));
    expect(answer).toMatchObject({
      type: transaction.type,
      version: transaction.version,
      sender: sender.address,
      senderKeyType: sender.keyType,
    });
    return answer;
  }

  /** The same for transactions without a class in the library. */
  async sendRequest(sender: Person, request: Record<string, unknown>) {
    const answer = await this.broadcast(sender, request);
    expect(answer.status, answer.text).toBe(200);
    return this.inBlock(answer.json.id);
  }

  /** Expects this rejection, and no change of the sender's balance. */
  async refused(sender: Person, transaction: Transaction, refusal: Refusal, sponsor?: Person): Promise<void> {
    const before = await this.tokens(sender);
    transaction.signWith(sender);
    if (sponsor !== undefined) transaction.sponsorWith(sponsor);
    const reason: unknown = await transaction.broadcastTo(this.lto.node).then(
      () => "it was taken",
      (error) => error,
    );
    if (!(reason instanceof RequestError)) throw new Error(`not refused by the node: ${reason}`);
    expect(reason.data).toMatchObject({
      error: refusal.error,
      message: expect.stringContaining(refusal.message),
    });
    expect(await this.tokens(sender)).toBe(before);
  }

  /** The same for transactions without a class in the library. */
  async refusedRequest(sender: Person, request: Record<string, unknown>, refusal: Refusal): Promise<void> {
    const answer = await this.broadcast(sender, request);
    expect(answer.status, answer.text).toBe(400);
    expect(answer.json).toMatchObject({
      error: refusal.error,
      message: expect.stringContaining(refusal.message),
    });
  }

  /** Waits until another block follows the current liquid one. */
  async nextBlock(): Promise<void> {
    const height = await heightOf(this.node);
    await until("the next block", async () => ((await heightOf(this.node)) > height ? true : undefined));
  }

  /** Regular balance in tokens. */
  async tokens({ address }: Person): Promise<number> {
    const { balance } = await this.node.client.call("GET /addresses/balance/:address", {
      params: { address },
    });
    return Number(balance) / LTO_UNIT;
  }

  get(path: string): Promise<JsonAnswer> {
    return this.node.get(path);
  }

  /** Returns a script compiled by the node. */
  compile(text: string) {
    return this.lto.node.compile(text);
  }

  private async inBlock(id: string) {
    return this.node.client.call("GET /transactions/info/:id", { params: { id }, query: { wait: 20_000 } });
  }

  private broadcast(sender: Person, request: Record<string, unknown>): Promise<JsonAnswer> {
    return this.node.post("/transactions/broadcast", signedRequest(request, sender.keys, CHAIN_ID));
  }

  /** Returns the account with these keys. */
  personOf(keys: KeyPair, keyType: KeyType): Person {
    return {
      keys,
      keyType,
      address: addressText(addressOf(keys.publicKey, CHAIN_ID)),
      publicKey: encodeBase58(keys.publicKey),
      sign: (message) =>
        new Binary(sign(keys, typeof message === "string" ? new TextEncoder().encode(message) : message)),
    };
  }
}
