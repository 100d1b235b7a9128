/** Page 02 §9, page 06 §6. */
import { bytesEqual } from "../../bytes/compare.ts";
import { DecodeError } from "../../bytes/errors.ts";
import { JsonNumber, type JsonObject, type JsonValue, printNormalizedJson } from "../../bytes/json.ts";
import { addressOf, addressText } from "../../crypto/addresses.ts";
import { keyTypeByName, type PublicKey, UnknownKeyTypeError } from "../../crypto/key-types.ts";
import type { KeyPair } from "../../crypto/signatures.ts";
import { failed, ok, type Result } from "../../errors/result.ts";
import type { NetworkRules, TransactionBase } from "../base.ts";
import type { TransactionDefinition } from "../define.ts";
import { errorText, genericError, validationError } from "../errors.ts";
import { Faults, type RequestError, RequestRefusal, refuse } from "../faults.ts";
import {
  base58Member,
  type Convert,
  decodeAnyLengthBase58,
  type Field,
  int8Member,
  int64Member,
  type RequestMember,
  readRequired,
  requestedAddress,
  requestedKey,
  textMember,
} from "../fields.ts";
import { proofsError } from "../proofs.ts";
import { TransactionRecord } from "../record.ts";
import { definitionByName, definitionByType, type Transaction } from "../registry.ts";
import { signTransaction } from "../sign.ts";
import { staticCheck } from "../static-check.ts";

export interface RequestOptions {
  readonly network: NetworkRules;
  /** Type in the path of `/transactions/submit/{name}`; overrides `type`. */
  readonly typeName?: string;
  /** Fee that replaces the request's (`/transactions/calculateFee`). */
  readonly fee?: bigint;
  /** For requests without a timestamp; called at most once. Default: 0. */
  readonly timestamp?: () => bigint;
  /** Returns the key pair that signs for an address. Not set for broadcast. */
  readonly keyPairOf?: (address: Uint8Array) => KeyPair | undefined;
  /** Returns an address's public key. Replaces `keyPairOf` if the wallet signs later. */
  readonly publicKeyOf?: (address: Uint8Array) => PublicKey | undefined;
}

interface Requested {
  readonly transaction: Transaction;
  /** Addresses that must still sign, in order; empty without `publicKeyOf`. */
  readonly signers: readonly Uint8Array[];
}

export type RequestResult = Result<Requested, RequestError>;

interface CommonMembers {
  readonly version: number | undefined;
  readonly timestamp: bigint | undefined;
  readonly fee: bigint;
  readonly sender: Party;
  readonly sponsor: Party;
  readonly signature: Uint8Array | undefined;
  readonly proofs: readonly Uint8Array[] | undefined;
}

interface Party {
  readonly address: string | undefined;
  readonly keyType: string | undefined;
  readonly publicKey: string | undefined;
}

interface Signer {
  readonly key: PublicKey;
  readonly keyPair?: KeyPair;
  /** Set if the wallet must sign later. */
  readonly address?: Uint8Array;
}

/** Reports errors of elements under the path of the list. */
const proofsMember: RequestMember<readonly Uint8Array[]> = {
  read: (json, path, faults) => {
    if (!Array.isArray(json)) return faults.add(path, "invalid.proofs");
    const proofFaults = new Faults();
    const proofs = json.map((element) => readProof(element, path, proofFaults));
    if (!proofFaults.isEmpty) return faults.addAll(proofFaults);
    const decoded = proofs.filter((proof) => proof !== undefined);
    const error = proofsError(decoded);
    return error === undefined ? () => decoded : faults.add(path, "invalid.proofs", errorText(error));
  },
};

function readProof(json: JsonValue, path: string, faults: Faults): Uint8Array | undefined {
  if (typeof json !== "string") return faults.add(path, "expected.string");
  try {
    return decodeAnyLengthBase58(json);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return faults.add(path, "invalid.base58", error.message);
  }
}

class RequestReader {
  readonly faults = new Faults();
  readonly #json: JsonObject;
  readonly #network: NetworkRules;

  constructor(json: JsonObject, network: NetworkRules) {
    this.#json = json;
    this.#network = network;
  }

  optional<T>(name: string, reader: RequestMember<T>): T | undefined {
    return this.#optional(name, reader, this.faults)?.(this.#network);
  }

  required<T>(name: string, reader: RequestMember<T>): T | undefined {
    return readRequired(this.#json.get(name), reader, `obj.${name}`, this.faults)?.(this.#network);
  }

  field<T>(name: string, field: Field<T>): Convert<T> | undefined {
    const fieldFaults = new Faults();
    const convert = this.#field(name, field, fieldFaults);
    if (fieldFaults.isEmpty) return convert;
    const { alias } = field.request;
    // On failure, try the old name, and report only the errors of the old name.
    return alias === undefined ? this.faults.addAll(fieldFaults) : this.#field(alias, field, this.faults);
  }

  #field<T>(name: string, field: Field<T>, faults: Faults): Convert<T> | undefined {
    if (field.absent === undefined) {
      return readRequired(this.#json.get(name), field.request, `obj.${name}`, faults);
    }
    return this.#optional(name, field.request, faults) ?? field.absent;
  }

  #optional<T>(name: string, reader: RequestMember<T>, faults: Faults): Convert<T> | undefined {
    const json = this.#json.get(name);
    return json === undefined || json === null ? undefined : reader.read(json, `obj.${name}`, faults);
  }

  party(name: "sender" | "sponsor"): Party {
    return {
      address: this.optional(name, textMember),
      keyType: this.optional(`${name}KeyType`, textMember),
      publicKey: this.optional(`${name}PublicKey`, textMember),
    };
  }
}

function keyOf(party: Party, publicKey: string, name: string, network: NetworkRules): PublicKey {
  const keyType = party.keyType ?? "ed25519";
  try {
    keyTypeByName(keyType);
  } catch (error) {
    if (error instanceof UnknownKeyTypeError) refuse(validationError("InvalidPublicKey", error.message));
    throw error;
  }
  const key = requestedKey(publicKey, keyType);
  if (party.address !== undefined && party.address !== addressText(addressOf(key.bytes, network.chainId))) {
    refuse(validationError("InvalidPublicKey", `${name}PublicKey doesn't match ${name} address`));
  }
  return key;
}

function signerOf(party: Party, name: string, options: RequestOptions): Signer | undefined {
  if (options.keyPairOf !== undefined && party.address !== undefined) {
    const keyPair = options.keyPairOf(requestedAddress(party.address, options.network));
    if (keyPair === undefined) refuse(validationError("MissingSenderPrivateKey"));
    return { key: { keyType: keyPair.keyType, bytes: keyPair.publicKey }, keyPair };
  }
  if (options.publicKeyOf !== undefined && party.address !== undefined) {
    const address = requestedAddress(party.address, options.network);
    const key = options.publicKeyOf(address);
    if (key === undefined) refuse(validationError("MissingSenderPrivateKey"));
    return { key, address };
  }
  if (party.publicKey === undefined) return undefined;
  return { key: keyOf(party, party.publicKey, name, options.network) };
}

/** Page 02 §9.3. */
function requestedProofs({ signature, proofs }: CommonMembers): readonly Uint8Array[] {
  if (proofs !== undefined) {
    if (signature !== undefined && proofs.length > 0 && !bytesEqual(proofs[0], signature)) {
      refuse(genericError("Both proofs and signature are provided, but proofs do not match signature"));
    }
    return proofs;
  }
  const list = signature === undefined ? [] : [signature];
  const error = proofsError(list);
  if (error !== undefined) refuse(error);
  return list;
}

function failJson(faults: Faults): never {
  throw new RequestRefusal({ kind: "json", cause: null, validationErrors: faults.byPath });
}

function requestObject(json: JsonValue, fee: bigint | undefined): JsonObject {
  if (!(json instanceof Map)) {
    const faults = new Faults();
    faults.add("obj", "error.expected.jsobject");
    failJson(faults);
  }
  return fee === undefined ? json : new Map(json).set("fee", new JsonNumber(String(fee)));
}

function requestedType(json: JsonObject, { typeName, network }: RequestOptions): TransactionDefinition {
  if (typeName !== undefined) {
    const definition = definitionByName(typeName, network);
    return definition ?? refuse(genericError(`Bad transaction type (${typeName})`));
  }
  const member = json.get("type");
  const faults = new Faults();
  const type =
    member === undefined
      ? faults.add("obj", `'type' is undefined on object: ${printNormalizedJson(json)}`)
      : int8Member.read(member, "obj", faults)?.(network);
  if (type === undefined) failJson(faults);
  return definitionByType(type, network) ?? refuse(genericError(`Bad transaction type (${type})`));
}

/** Reads all members, in the reference's order of errors. */
function readRequest(
  json: JsonObject,
  definition: TransactionDefinition,
  network: NetworkRules,
): { common: CommonMembers; members: readonly (readonly [name: string, convert: Convert<unknown>])[] } {
  const reader = new RequestReader(json, network);
  const version = reader.optional("version", int8Member);
  const timestamp = reader.optional("timestamp", int64Member);
  const fee = reader.required("fee", int64Member);
  const sender = reader.party("sender");
  const sponsor = reader.party("sponsor");
  const members: (readonly [string, Convert<unknown>])[] = [];
  for (const [name, field] of definition.fields) {
    const convert = reader.field(name, field);
    if (convert !== undefined) members.push([name, convert]);
  }
  const signature = reader.optional("signature", base58Member);
  const proofs = reader.optional("proofs", proofsMember);
  if (fee === undefined || !reader.faults.isEmpty) failJson(reader.faults);
  return { common: { version, timestamp, fee, sender, sponsor, signature, proofs }, members };
}

function build(json: JsonValue, options: RequestOptions, isSigned = false): Requested {
  const { network } = options;
  const object = requestObject(json, options.fee);
  const definition = requestedType(object, options);
  if (isSigned && !definition.hasSender)
    return { transaction: buildWithoutSender(object, definition, network), signers: [] };
  if (!definition.requestable) refuse(genericError(`Unsupported transaction type (${definition.type})`));
  const { common, members } = readRequest(object, definition, network);
  const sender = signerOf(common.sender, "sender", options);
  if (sender === undefined) refuse(validationError("InvalidPublicKey", "missing senderPublicKey"));
  const sponsor = signerOf(common.sponsor, "sponsor", options);
  const version = common.version ?? definition.defaultVersion;
  const record = new TransactionRecord(definition.type, version, network.chainId);
  record.proofs = requestedProofs(common);
  record.sender = sender.key;
  record.sponsor = sponsor?.key;
  record.fee = common.fee;
  record.timestamp = common.timestamp ?? options.timestamp?.() ?? 0n;
  for (const [name, convert] of members) record.set(name, convert(network));
  // Safe cast: the definition's fields set all members of the type.
  const tx = record.complete(network.chainId) as TransactionBase as Transaction;
  const error = staticCheck(tx, network);
  if (error !== undefined) refuse(error);
  const parties = [sender, sponsor].filter((party) => party !== undefined);
  const transaction = parties.reduce(
    (signed, { keyPair }) => (keyPair === undefined ? signed : signTransaction(signed, keyPair)),
    tx,
  );
  const signers = parties.map(({ address }) => address).filter((address) => address !== undefined);
  return { transaction, signers };
}

/** Builds a genesis transaction. Ignores the signature in its JSON, which is the id. */
function buildWithoutSender(
  json: JsonObject,
  definition: TransactionDefinition,
  network: NetworkRules,
): Transaction {
  const { common, members } = readRequest(json, definition, network);
  const record = new TransactionRecord(definition.type, definition.defaultVersion, network.chainId);
  record.timestamp = common.timestamp ?? 0n;
  for (const [name, convert] of members) record.set(name, convert(network));
  // Safe cast: as in `build`.
  return record.complete(network.chainId) as TransactionBase as Transaction;
}

/**
 * Rebuilds a signed transaction of any type from its JSON. Ignores unknown members. Changes the
 * id of a transaction of version 1 with an empty subject, because JSON omits the subject.
 */
export function transactionFromJson(json: JsonValue, network: NetworkRules): RequestResult {
  return resultOf(() => build(json, { network }, true));
}

/**
 * Creates a transaction without using the chain state. The wallet signs for a sender or sponsor given by address.
 * Page 02 §9.2, page 06 §6.3.
 */
export function transactionFromRequest(json: JsonValue, options: RequestOptions): RequestResult {
  return resultOf(() => build(json, options));
}

function resultOf(make: () => Requested): RequestResult {
  try {
    return ok(make());
  } catch (error) {
    if (error instanceof RequestRefusal) return failed(error.reason);
    throw error;
  }
}
