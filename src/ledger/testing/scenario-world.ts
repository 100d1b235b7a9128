/** The named accounts and transactions of the state scenarios. `state-scenarios.json`, "format". */
import { encodeBase58 } from "../../bytes/base58.ts";
import { decodeBase64 } from "../../bytes/base64.ts";
import { concatBytes } from "../../bytes/compare.ts";
import { decodeHex } from "../../bytes/hex.ts";
import { encodeUtf8 } from "../../bytes/utf8.ts";
import { addressOf, addressText } from "../../crypto/addresses.ts";
import { secureHash, sha256 } from "../../crypto/hashes.ts";
import type { KeyType, PublicKey } from "../../crypto/key-types.ts";
import { ed25519KeyPair } from "../../crypto/native.ts";
import { type KeyPair, sign } from "../../crypto/signatures.ts";
import { ecdsaPublicKey } from "../../crypto/testing/ecdsa-public-key.ts";
import type { Functionality } from "../../profiles/profile.ts";
import {
  bodyBytes,
  copyTransaction,
  type DataEntry,
  definitions,
  type NetworkRules,
  parseTransaction,
  staticCheck,
  type Transaction,
  type TransactionDefinition,
  transactionBytes,
  transactionId,
  type ValidationError,
} from "../../transactions/index.ts";
import { TransactionRecord } from "../../transactions/record.ts";

/** A key given by a scenario. */
export interface AccountSpec {
  readonly keyType: KeyType;
  readonly publicKeyHex?: string;
  readonly privateKeyHex?: string;
}

export interface CertificateSpec {
  readonly derBase64: string;
}

export interface TransactionSpec {
  readonly ref: string;
  readonly type: string;
  readonly version?: number;
  readonly sender?: string;
  readonly sponsor?: string;
  readonly fee?: string;
  readonly timestamp: number | string;
  readonly proofs?: readonly string[];
  readonly recipient?: string;
  readonly amount?: string;
  readonly attachment?: string;
  readonly transfers?: readonly { readonly recipient: string; readonly amount: string }[];
  readonly leaseId?: string;
  readonly data?: readonly EntrySpec[];
  readonly script?: string | null;
  readonly anchors?: readonly string[] | Readonly<Record<string, string>>;
  readonly assocType?: string;
  readonly subject?: string | null;
  readonly expires?: number | string;
  readonly accounts?: readonly { readonly keyType: KeyType; readonly publicKey: string }[];
  readonly statementType?: string;
  readonly certificate?: string;
}

interface EntrySpec {
  readonly key: string;
  readonly type: DataEntry["type"];
  readonly value: string | boolean;
}

/** Definitions by scenario name: `mass transfer` is `massTransfer`. */
const definitionsByName: ReadonlyMap<string, TransactionDefinition> = new Map(
  definitions.map((definition) => [
    definition.name.replace(/ ./g, (initial) => initial[1].toUpperCase()),
    definition,
  ]),
);

const knownMembers: ReadonlySet<string> = new Set(
  (
    "ref type version sender sponsor fee timestamp proofs recipient amount attachment transfers leaseId data script " +
    "anchors assocType subject expires accounts statementType certificate"
  ).split(" "),
);

export const SCENARIO_CHAIN_ID = 84;

const network: NetworkRules = { chainId: SCENARIO_CHAIN_ID, payment: false };

/** Accounts with bls12-381 keys have no private key and cannot sign. */
export interface ScenarioAccount {
  readonly publicKey: PublicKey;
  readonly keyPair: KeyPair | undefined;
  readonly address: Uint8Array;
}

/** A transaction that the static rules reject. */
export class UnbuildableTransaction extends Error {
  override readonly name = "UnbuildableTransaction";
  readonly error: ValidationError;
  constructor(error: ValidationError) {
    super(error.kind);
    this.error = error;
  }
}

/** The names of a scenario: accounts by name, transactions by ref. */
export class ScenarioWorld {
  readonly #accounts = new Map<string, ScenarioAccount>();
  readonly #ids = new Map<string, Uint8Array>();

  readonly #specs: Readonly<Record<string, AccountSpec>>;
  readonly #certificates: Readonly<Record<string, CertificateSpec>>;

  constructor(
    specs: Readonly<Record<string, AccountSpec>>,
    certificates: Readonly<Record<string, CertificateSpec>>,
  ) {
    this.#specs = specs;
    this.#certificates = certificates;
  }

  account(name: string): ScenarioAccount {
    const known = this.#accounts.get(name);
    if (known !== undefined) return known;
    const made = makeAccount(name, this.#specs[name]);
    this.#accounts.set(name, made);
    return made;
  }

  address(name: string): Uint8Array {
    return this.account(name).address;
  }

  /** Names of the accounts used so far. */
  names(): string[] {
    return [...this.#accounts.keys()];
  }

  /** Returns the id of a transaction; for an unknown ref, an id of no transaction. */
  id(ref: string): Uint8Array {
    return this.#ids.get(ref) ?? sha256(encodeUtf8(`no transaction ${ref}`));
  }

  /** @throws RangeError */
  ref(id: Uint8Array): string {
    const text = encodeBase58(id);
    for (const [ref, known] of this.#ids) if (encodeBase58(known) === text) return ref;
    throw new RangeError(`no transaction has the id ${text}`);
  }

  /** Returns a certificate by name, INVALID, or "" for none. */
  certificate(name: string): Uint8Array | undefined {
    if (name === "") return undefined;
    if (name === "INVALID") return Uint8Array.of(1, 2, 3);
    const spec = this.#certificates[name];
    if (spec === undefined) throw new RangeError(`no certificate ${name}`);
    return decodeBase64(spec.derBase64);
  }

  /** Replaces `${name}`, `${id:ref}` and `${b58:hex}` in an expected message. */
  fillIn(message: string): string {
    return message.replace(/\$\{([^}]*)\}/g, (_, name: string) => {
      if (name.startsWith("id:")) return encodeBase58(this.id(name.slice(3)));
      if (name.startsWith("b58:")) return encodeBase58(decodeHex(name.slice(4)));
      return addressText(this.address(name));
    });
  }

  /**
   * Builds and signs a transaction, and parses its bytes as a node would.
   * @throws UnbuildableTransaction if a static rule rejects it
   */
  transaction(spec: TransactionSpec): Transaction {
    for (const member of Object.keys(spec)) {
      if (!knownMembers.has(member)) throw new RangeError(`unknown member ${member} of a transaction`);
    }
    const definition = definitionsByName.get(spec.type);
    if (definition === undefined) throw new RangeError(`unknown transaction type ${spec.type}`);
    const record = new TransactionRecord(definition.type, spec.version ?? 1, SCENARIO_CHAIN_ID);
    record.timestamp = BigInt(spec.timestamp);
    if (spec.sender !== undefined) record.sender = this.account(spec.sender).publicKey;
    if (spec.sponsor !== undefined) record.sponsor = this.account(spec.sponsor).publicKey;
    if (spec.fee !== undefined) record.fee = BigInt(spec.fee);
    for (const member of definition.fields.keys()) record.set(member, this.#member(member, spec));
    const unsigned = record.complete(SCENARIO_CHAIN_ID) as unknown as Transaction;
    const error = staticCheck(unsigned, network);
    if (error !== undefined) throw new UnbuildableTransaction(error);
    this.#ids.set(spec.ref, transactionId(unsigned));
    const signed = definition.hasSender
      ? copyTransaction(unsigned, { proofs: this.#proofs(spec, unsigned) })
      : unsigned;
    return parseTransaction(transactionBytes(signed), network);
  }

  /** Returns the transactions of a block, or the first that the static rules reject. */
  transactions(specs: readonly TransactionSpec[]): Transaction[] | UnbuildableTransaction {
    try {
      return specs.map((spec) => this.transaction(spec));
    } catch (error) {
      if (error instanceof UnbuildableTransaction) return error;
      throw error;
    }
  }

  #proofs(spec: TransactionSpec, transaction: Transaction): Uint8Array[] {
    return (spec.proofs ?? []).map((signer) => {
      if (signer === "garbage") return new Uint8Array(64).fill(1);
      if (signer === "empty") return new Uint8Array(0);
      const { keyPair } = this.account(signer);
      return keyPair === undefined ? new Uint8Array(64).fill(1) : sign(keyPair, bodyBytes(transaction));
    });
  }

  /** Returns the value of a type's own member. */
  #member(name: string, spec: TransactionSpec): unknown {
    switch (name) {
      case "recipient":
        return spec.recipient === undefined ? undefined : this.address(spec.recipient);
      case "amount":
        return BigInt(spec.amount ?? 0);
      case "attachment":
        return decodeHex(spec.attachment ?? "");
      case "transfers":
        return (spec.transfers ?? []).map(({ recipient, amount }) => ({
          recipient: this.address(recipient),
          amount: BigInt(amount),
        }));
      case "leaseId":
        return this.id(spec.leaseId ?? "");
      case "data":
        return (spec.data ?? []).map(entry);
      case "script":
        return scriptBytes(spec.script);
      case "anchors":
        return anchors(spec.anchors ?? []);
      case "associationType":
        return BigInt(spec.assocType ?? 0);
      case "subject":
        return spec.subject == null ? undefined : decodeHex(spec.subject);
      case "expires":
        return spec.expires === undefined ? undefined : BigInt(spec.expires);
      case "accounts":
        return (spec.accounts ?? []).map(({ keyType, publicKey }) => ({
          keyType,
          bytes: decodeHex(publicKey),
        }));
      case "statementType":
        return BigInt(spec.statementType ?? 0);
      case "certificate":
        return this.certificate(spec.certificate ?? "");
      default:
        throw new RangeError(`the scenarios have no member ${name}`);
    }
  }
}

function anchors(spec: NonNullable<TransactionSpec["anchors"]>): unknown {
  // The compiler does not narrow readonly arrays here.
  if (Array.isArray(spec)) return (spec as readonly string[]).map(decodeHex);
  return Object.entries(spec).map(([key, value]) => [decodeHex(key), decodeHex(String(value))]);
}

function makeAccount(name: string, spec: AccountSpec | undefined): ScenarioAccount {
  const keyPair = makeKeyPair(name, spec);
  const publicKey: PublicKey =
    keyPair === undefined
      ? { keyType: "bls12-381", bytes: concatBytes(sha256(encodeUtf8(name)), new Uint8Array(16)) }
      : { keyType: keyPair.keyType, bytes: keyPair.publicKey };
  if (spec?.publicKeyHex !== undefined) {
    const stated = decodeHex(spec.publicKeyHex);
    if (encodeBase58(stated) !== encodeBase58(publicKey.bytes)) {
      throw new RangeError(`the public key of ${name} is not that of its private key`);
    }
  }
  return { publicKey, keyPair, address: addressOf(publicKey.bytes, SCENARIO_CHAIN_ID) };
}

function makeKeyPair(name: string, spec: AccountSpec | undefined): KeyPair | undefined {
  const keyType = spec?.keyType ?? "ed25519";
  const secret =
    spec?.privateKeyHex === undefined
      ? sha256(encodeUtf8(`scenario account ${name}`))
      : decodeHex(spec.privateKeyHex);
  if (keyType === "bls12-381") return undefined;
  if (keyType === "ed25519") {
    const { publicKey, secretKey } = ed25519KeyPair(secret);
    return { keyType, publicKey, privateKey: secretKey };
  }
  return { keyType, publicKey: ecdsaPublicKey(keyType, secret), privateKey: secret };
}

function entry({ key, type, value }: EntrySpec): DataEntry {
  switch (type) {
    case "integer":
      return { key, type, value: BigInt(value) };
    case "boolean":
      return { key, type, value: value === true };
    case "binary":
      return { key, type, value: decodeBase64(String(value)) };
    case "string":
      return { key, type, value: String(value) };
  }
}

/** TRUE and FALSE are the compiled constants: version, one operation, checksum. Page 08 §10. */
function scriptBytes(script: string | null | undefined): Uint8Array | undefined {
  if (script == null) return undefined;
  if (script.startsWith("base64:")) return decodeBase64(script);
  const program = Uint8Array.of(1, script === "TRUE" ? 6 : 7);
  return concatBytes(program, secureHash(program).subarray(0, 4));
}

/** Settings of a scenario, over the defaults of the file. */
export type SettingsSpec = Readonly<Record<string, number | string | readonly string[]>>;

const settingNames: ReadonlySet<string> = new Set([
  "featureCheckBlocksPeriod",
  "blocksForFeatureActivation",
  "doubleFeaturesPeriodsAfterHeight",
  "feeVoteBlocksPeriod",
  "blocksForFeeChange",
  "miningReward",
  "miningRewardBonus",
  "miningRewardBonusPeriod",
  "leaseUnbondingPeriod",
  "burnAddresses",
  "maxRollbackDepth",
  "confirmationDepth",
]);

export function scenarioFunctionality(
  world: ScenarioWorld,
  features: Readonly<Record<string, number>>,
  settings: SettingsSpec,
): Functionality {
  for (const name of Object.keys(settings)) {
    if (!settingNames.has(name)) throw new RangeError(`unknown setting ${name}`);
  }
  const number = (name: string): number => Number(settings[name]);
  return {
    featureCheckBlocksPeriod: number("featureCheckBlocksPeriod"),
    blocksForFeatureActivation: number("blocksForFeatureActivation"),
    preActivatedFeatures: new Map(Object.entries(features).map(([id, height]) => [Number(id), height])),
    doubleFeaturesPeriodsAfterHeight: Number(settings.doubleFeaturesPeriodsAfterHeight ?? 2 ** 31 - 1),
    feeVoteBlocksPeriod: number("feeVoteBlocksPeriod"),
    blocksForFeeChange: number("blocksForFeeChange"),
    miningReward: BigInt(String(settings.miningReward)),
    miningRewardBonus: BigInt(String(settings.miningRewardBonus)),
    miningRewardBonusPeriod: number("miningRewardBonusPeriod"),
    leaseUnbondingPeriod: number("leaseUnbondingPeriod"),
    burnAddresses: (settings.burnAddresses as readonly string[]).map((name) => world.address(name)),
    lostReleaseHeight: settings.maxRollbackDepth === undefined ? undefined : number("maxRollbackDepth"),
  };
}
