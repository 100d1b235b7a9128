/** Random transactions of every type over a few accounts, most of them valid. */
import { decodeBase64 } from "../bytes/base64.ts";
import { encodeUtf8 } from "../bytes/utf8.ts";
import { addressOf } from "../crypto/addresses.ts";
import { sha256 } from "../crypto/hashes.ts";
import type { KeyPair } from "../crypto/signatures.ts";
import { ecdsaPublicKey } from "../crypto/testing/ecdsa-public-key.ts";
import type { TrustSettings } from "../indexes/trust/settings.ts";
import { parseTrustNetwork } from "../indexes/trust/trust-network.ts";
import { compileScript } from "../script/index.ts";
import { type Transaction, transactionId } from "../transactions/index.ts";
import { requireDefinition } from "../transactions/registry.ts";
import { buildTransaction, typeOf } from "./build-transaction.ts";
import { keyPairOf } from "./dev-node.ts";
import type { SeededRandom } from "./seeded-random.ts";

const LTO = 100_000_000n;

/** A secp256r1 key, the fifth spender's, and its certificate. */
const certifiedKey = Uint8Array.from(
  Buffer.from("8a2ef0a33f1c629825c941d637cb39be9b98bff90119580d2b709ec954937fd4", "hex"),
);
export const certificate = decodeBase64(
  "MIIBnDCCAUOgAwIBAgIUXRxHWqxAHCefxqe5GII9VvH7hOkwCgYIKoZIzj0EAwIwIzEhMB8GA1UEAwwYQWxpY2UsTz1FeGFtcGxlIEx0ZCxD" +
    "PU5MMCAXDTI1MDYwNDEwNTcxMVoYDzMwMDAwMjEzMTA1NzExWjAjMSEwHwYDVQQDDBhBbGljZSxPPUV4YW1wbGUgTHRkLEM9TkwwWTATBgcq" +
    "hkjOPQIBBggqhkjOPQMBBwNCAATb9YBO1m8KFtvfGtARfOzNfPciClTIDuNstVD0HaJsv9Jm2+GNTzhLx8jUeHPITl4Coq+SH+l0CsGPJctq" +
    "rDRDo1MwUTAdBgNVHQ4EFgQURvc5XZR6wCCdfPxU6J7JeASKXIcwHwYDVR0jBBgwFoAURvc5XZR6wCCdfPxU6J7JeASKXIcwDwYDVR0TAQH/" +
    "BAUwAwEB/zAKBggqhkjOPQQDAgNHADBEAiAKNQWWaOMrcUxdCGE2hf8G6NG6xGdpWMpwxJUusdj+ZAIgUc/3kpdOvD2XIjssZZZR+Wn1nuNn" +
    "fOpTPpcbDSOfiPM=",
);

function compiled(source: string): Uint8Array {
  const result = compileScript(source);
  if (!result.ok) throw new RangeError(`does not compile: ${source}`);
  return result.value.bytes;
}

/** Funded accounts; the last one may get a script that allows everything. */
export const spenders: readonly KeyPair[] = [
  keyPairOf("first"),
  keyPairOf("second"),
  keyPairOf("third"),
  { keyType: "secp256k1", ...ecdsa("secp256k1", sha256(encodeUtf8("fourth"))) },
  { keyType: "secp256r1", ...ecdsa("secp256r1", certifiedKey) },
  keyPairOf("scripted"),
];

function ecdsa(
  keyType: "secp256k1" | "secp256r1",
  privateKey: Uint8Array,
): { publicKey: Uint8Array; privateKey: Uint8Array } {
  return { publicKey: ecdsaPublicKey(keyType, privateKey), privateKey };
}

/** Returns a trust network in which the spenders' associations assign roles, with the first spender as root. */
export function trustOfSpenders(chainId: number): TrustSettings {
  const network = parseTrustNetwork(`{
    "root": { "issues": [{ "type": 1, "role": "first" }, { "type": 2, "role": "second" }] },
    "first": { "issues": [{ "type": 1, "role": "first" }] }
  }`);
  return { network, root: addressOf(spenders[0].publicKey, chainId) };
}

/** Makes transactions in sequence, and remembers what later ones need. */
export class RandomTransactions {
  readonly #leases: { readonly id: Uint8Array; readonly sender: KeyPair }[] = [];
  #serial = 0;
  readonly #random: SeededRandom;
  readonly #chainId: number;

  constructor(random: SeededRandom, chainId: number) {
    this.#random = random;
    this.#chainId = chainId;
  }

  /** Returns a transaction dated up to a second after `timestamp`. */
  next(timestamp: number): Transaction {
    const random = this.#random;
    const sender = random.pick(spenders);
    const lease = random.chance(40) && this.#leases.length > 0 ? random.pick(this.#leases) : undefined;
    const { type, members, fee, by } = lease === undefined ? this.#anything(sender) : this.#cancel(lease);
    const version = this.#versionOf(type, by);
    const transaction = buildTransaction({
      type,
      version,
      sender: by,
      sponsor: version >= 3 && random.chance(15) ? random.pick(spenders.slice(0, 3)) : undefined,
      fee: fee + BigInt(random.below(1000)),
      timestamp: timestamp + (this.#serial++ % 1000),
      chainId: this.#chainId,
      // Only newer associations can expire.
      members: version < 3 && "expires" in members ? { ...members, expires: undefined } : members,
    });
    if (requireDefinition(type).isLease === true)
      this.#leases.push({ id: transactionId(transaction), sender: by });
    return transaction;
  }

  /** Returns 3 mostly, which every type has; older versions accept ed25519 senders only. */
  #versionOf(type: number, sender: KeyPair): number {
    if (this.#random.chance(50)) return 3;
    const version = this.#random.pick([...requireDefinition(type).versions.keys()]);
    return version < 3 && sender.keyType !== "ed25519" ? 3 : version;
  }

  #address(): Uint8Array {
    return addressOf(this.#random.pick(spenders).publicKey, this.#chainId);
  }

  #amount(): bigint {
    return BigInt(this.#random.below(50) + 1) * LTO + BigInt(this.#random.below(1_000_000));
  }

  #hash(): Uint8Array {
    return sha256(Uint8Array.of(this.#random.below(40)));
  }

  #cancel(lease: { readonly id: Uint8Array; readonly sender: KeyPair }) {
    return { type: typeOf("cancel lease"), members: { leaseId: lease.id }, fee: LTO, by: lease.sender };
  }

  #anything(sender: KeyPair): {
    type: number;
    members: Record<string, unknown>;
    fee: bigint;
    by: KeyPair;
  } {
    const random = this.#random;
    const make = (type: string, members: Record<string, unknown>, fee = LTO, by = sender) => ({
      type: typeOf(type),
      members,
      fee,
      by,
    });
    const attachment = random.bytes(random.below(5));
    const entry = {
      key: random.pick(["a", "b", "ab", "\u00e9", "\u{1f600}"]),
      ...random.pick([
        { type: "integer", value: BigInt(random.below(1000)) },
        { type: "boolean", value: random.chance(50) },
        { type: "binary", value: random.bytes(random.below(20)) },
        { type: "string", value: "text" },
      ]),
    };
    const service = { key: "did:service:a", type: "string", value: '{"type":"T"}' };
    const association = {
      // The last two are verification methods of a DID document.
      associationType: random.pick([0n, 1n, 2n, 0x101n, 0x108n]),
      recipient: this.#address(),
      subject: random.chance(50) ? this.#hash() : undefined,
    };
    const kinds = [
      () => make("transfer", { recipient: this.#address(), amount: this.#amount(), attachment }),
      () => make("lease", { recipient: this.#other(sender), amount: this.#amount() }),
      () => {
        const transfers = Array.from({ length: random.below(6) }, () => ({
          recipient: this.#address(),
          amount: BigInt(random.below(1000)),
        }));
        return make("mass transfer", { transfers, attachment }, 3n * LTO);
      },
      () => make("data", { data: [random.chance(80) ? entry : service] }),
      () => {
        const scripted = spenders[spenders.length - 1];
        const script = random.chance(60) ? compiled("true") : undefined;
        return make("set script", { script }, 5n * LTO, scripted);
      },
      () => make("anchor", { anchors: [this.#hash(), random.bytes(32)] }),
      () => {
        const expires = random.chance(30) ? BigInt(2_000_000_000_000) : undefined;
        return make("issue association", { ...association, expires, data: [] });
      },
      () => make("revoke association", association),
      () => make("sponsorship", { recipient: this.#other(sender) }, 5n * LTO),
      () => make("cancel sponsorship", { recipient: this.#other(sender) }, 5n * LTO),
      () => {
        const bytes = random.bytes(32);
        return make("register", { accounts: [{ keyType: "ed25519", bytes }] });
      },
      () => make("burn", { amount: this.#amount() }),
      () => make("mapped anchor", { anchors: [[this.#hash(), random.bytes(32)]] }),
      () => {
        // Three concern a credential; the last two deactivate a DID.
        const statementType = random.pick([10n, 0x10n, 0x12n, 0x14n, 0x120n, 0x121n]);
        return make(
          "statement",
          { statementType, recipient: this.#address(), subject: this.#hash(), data: [] },
          2n * LTO,
        );
      },
      () => {
        const certified = spenders[4];
        return make(
          "certificate",
          { certificate: random.chance(70) ? certificate : undefined },
          5n * LTO,
          certified,
        );
      },
    ];
    return random.pick(kinds)();
  }

  #other(account: KeyPair): Uint8Array {
    const others = spenders.filter((other) => other !== account);
    return addressOf(this.#random.pick(others).publicKey, this.#chainId);
  }
}
