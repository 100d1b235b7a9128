/**
 * Reads verifiable credentials and checks their proofs: JWTs (EdDSA, ES256, ES256K) and Data Integrity proofs with the
 * cryptosuite `eddsa-jcs-2022`. Sources: VC Data Model 1.1 and 2.0; Data Integrity EdDSA Cryptosuites 1.0, section
 * 3.3; RFC 8785.
 */
import { decodeBase58, encodeBase58 } from "../bytes/base58.ts";
import { decodeBase64 } from "../bytes/base64.ts";
import { bytesEqual, concatBytes } from "../bytes/compare.ts";
import { tryDecode } from "../bytes/errors.ts";
import { encodeUtf8 } from "../bytes/utf8.ts";
import { sha256 } from "../crypto/hashes.ts";
import type { KeyType } from "../crypto/key-types.ts";
import { verify } from "../crypto/signatures.ts";
import { membersOf } from "./decode.ts";

/** In UTF-16 units. */
const MAX_CREDENTIAL_LENGTH = 262_144;
const MAX_JSON_DEPTH = 64;
const SIGNATURE_LENGTH = 64;
const MAX_KEY_BASE58_LENGTH = 64;
const MAX_SIGNATURE_BASE58_LENGTH = 96;

export class CredentialError extends Error {
  override readonly name = "CredentialError";
}

interface SignedProof {
  readonly kind: "signed";
  /** For example `EdDSA` or `eddsa-jcs-2022`. */
  readonly algorithm: string;
  readonly keyType: KeyType;
  /** DID URL of the key; undefined: any assertion key of the issuer may have signed. */
  readonly keyId: string | undefined;
  readonly signedBytes: Uint8Array;
  readonly signature: Uint8Array;
}

export interface Credential {
  /** DID or URL. */
  readonly issuer: string;
  /** Id of the subject; undefined for a list of subjects, or without an id. */
  readonly subject: string | undefined;
  readonly types: readonly string[];
  /** In ms since 1970. */
  readonly validFrom: number | undefined;
  readonly validUntil: number | undefined;
  /** Id of the credential in statement transactions, Base58. Page 07 §11.1. */
  readonly statusId: string;
  /** `unsupported`: `checkProof` does not check this proof. */
  readonly proof: SignedProof | { readonly kind: "unsupported"; readonly name: string };
}

/** Key of a DID document that conforms to DID Core. */
export interface AssertionKey {
  readonly id: string;
  readonly publicKeyMultibase: string;
}

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** Canonical JSON of RFC 8785. @throws CredentialError for deeply nested values */
function canonicalJson(value: unknown, depth = 0): string {
  if (depth > MAX_JSON_DEPTH) throw new CredentialError("The credential is nested too deeply.");
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item, depth + 1)).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  // RFC 8785 orders by UTF-16 units, as `sort` does.
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name], depth + 1)}`);
  return `{${members.join(",")}}`;
}

const canonicalHash = (value: unknown): Uint8Array => sha256(encodeUtf8(canonicalJson(value)));

function parseObject(text: string, label: string): Json {
  try {
    const json: unknown = JSON.parse(text);
    if (isObject(json)) return json;
  } catch {
    // The error below also covers invalid JSON.
  }
  throw new CredentialError(`${label} is not a JSON object.`);
}

function decodeBase64Url(text: string, label: string): Uint8Array {
  const plain = text.replaceAll("-", "+").replaceAll("_", "/");
  const padded = plain.padEnd(Math.ceil(plain.length / 4) * 4, "=");
  const bytes = /^[\w-]+$/.test(text) ? tryDecode(() => decodeBase64(padded)) : undefined;
  if (bytes === undefined) throw new CredentialError(`${label} is not base64url.`);
  return bytes;
}

const idOf = (value: unknown): string | undefined => textOf(value) ?? textOf(membersOf(value).id);

function timeOf(value: unknown): number | undefined {
  if (value === undefined) return undefined;
  const ms = typeof value === "string" ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(ms)) throw new CredentialError(`The time ${JSON.stringify(value)} is invalid.`);
  return ms;
}

function claimsOf(json: Json): Omit<Credential, "proof"> {
  const issuer = idOf(json.issuer);
  if (issuer === undefined) throw new CredentialError("The credential does not name its issuer.");
  const { credentialStatus: _status, proof: _proof, ...hashedMembers } = json;
  const types = [json.type].flat().filter((type) => typeof type === "string");
  if (!types.includes("VerifiableCredential"))
    throw new CredentialError("The type of the JSON is not VerifiableCredential.");
  return {
    issuer,
    subject: idOf(json.credentialSubject),
    types: types.filter((type) => type !== "VerifiableCredential"),
    validFrom: timeOf(json.validFrom ?? json.issuanceDate),
    validUntil: timeOf(json.validUntil ?? json.expirationDate),
    statusId: encodeBase58(canonicalHash(hashedMembers)),
  };
}

/** RFC 7518, RFC 8037, RFC 8812. */
const jwtKeyTypes: Readonly<Record<string, KeyType>> = {
  EdDSA: "ed25519",
  Ed25519: "ed25519",
  ES256: "secp256r1",
  ES256K: "secp256k1",
};

/** Formats seconds since 1970 as ISO 8601. */
function secondsText(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== "number" || Math.abs(value) > 8.64e12)
    throw new CredentialError("A time of the JWT is invalid.");
  return new Date(1_000 * value).toISOString();
}

/** Adds claims of the JWT to `vc`, or without `vc` to the other claims. VC Data Model 1.1, section 6.3.1. */
function credentialOfJwt({ vc, iss, sub, nbf, exp, ...otherMembers }: Json): Json {
  const body = isObject(vc) ? vc : otherMembers;
  const bodyIssuer = idOf(body.issuer);
  if (iss !== undefined && bodyIssuer !== undefined && iss !== bodyIssuer)
    throw new CredentialError("The JWT and its credential name different issuers.");
  const subject = isObject(body.credentialSubject) ? body.credentialSubject : {};
  return {
    ...body,
    issuer: bodyIssuer ?? iss,
    ...(sub === undefined ? {} : { credentialSubject: { ...subject, id: sub } }),
    ...(nbf === undefined ? {} : { validFrom: secondsText(nbf) }),
    ...(exp === undefined ? {} : { validUntil: secondsText(exp) }),
  };
}

function parseJwt(text: string): Credential {
  const [header = "", payload = "", signature = "", ...rest] = text.split(".");
  if (rest.length > 0) throw new CredentialError("The text is not a compact JWT.");
  const parsePart = (part: string, label: string): Json =>
    parseObject(new TextDecoder().decode(decodeBase64Url(part, label)), label);
  const { alg, kid, crit } = parsePart(header, "The header of the JWT");
  const body = parsePart(payload, "The payload of the JWT");
  const claims = claimsOf(credentialOfJwt(body));
  // Statements use the hash of `vc` with the issuer, but without other claims of the JWT.
  const credential = isObject(body.vc) ? claimsOf({ issuer: claims.issuer, ...body.vc }) : claims;
  const algorithm = textOf(alg) ?? "none";
  const keyType = Object.hasOwn(jwtKeyTypes, algorithm) ? jwtKeyTypes[algorithm] : undefined;
  if (keyType === undefined || crit !== undefined)
    return {
      ...claims,
      statusId: credential.statusId,
      proof: { kind: "unsupported", name: `JWT ${algorithm}` },
    };
  const id = textOf(kid);
  return {
    ...claims,
    statusId: credential.statusId,
    proof: {
      kind: "signed",
      algorithm,
      keyType,
      keyId: id?.startsWith("#") ? claims.issuer + id : id,
      signedBytes: encodeUtf8(`${header}.${payload}`),
      signature: decodeBase64Url(signature, "The signature of the JWT"),
    },
  };
}

function dataIntegrityProof(json: Json, proof: Json): Credential["proof"] {
  const { type, cryptosuite, proofPurpose, proofValue, ...options } = proof;
  const name = [type, cryptosuite].filter((part) => typeof part === "string").join(" ");
  if (type !== "DataIntegrityProof" || cryptosuite !== "eddsa-jcs-2022")
    return { kind: "unsupported", name: name || "unknown" };
  if (proofPurpose !== "assertionMethod")
    throw new CredentialError("The purpose of the proof is not assertionMethod.");
  const encoded = textOf(proofValue) ?? "";
  const signature = encoded.startsWith("z")
    ? tryDecode(() => decodeBase58(encoded.slice(1), MAX_SIGNATURE_BASE58_LENGTH))
    : undefined;
  if (signature === undefined) throw new CredentialError("The proof has no valid proofValue.");
  const { proof: _proof, ...unsecured } = json;
  const proofContexts = options["@context"] === undefined ? [] : [options["@context"]].flat();
  const contexts = [json["@context"]].flat();
  if (proofContexts.some((context, i) => canonicalJson(context) !== canonicalJson(contexts[i] ?? null)))
    throw new CredentialError("The contexts of the proof are not those of the credential.");
  const securedDocument =
    proofContexts.length === 0 ? unsecured : { ...unsecured, "@context": options["@context"] };
  const configuration = { ...options, type, cryptosuite, proofPurpose };
  return {
    kind: "signed",
    algorithm: cryptosuite,
    keyType: "ed25519",
    keyId: textOf(proof.verificationMethod) ?? "",
    signedBytes: concatBytes(canonicalHash(configuration), canonicalHash(securedDocument)),
    signature,
  };
}

/**
 * @param text JSON of a credential, or a compact JWT: plain, in quotes, in a data URL, or enveloped
 * @throws CredentialError
 */
export function parseCredential(text: string): Credential {
  if (text.length > MAX_CREDENTIAL_LENGTH)
    throw new CredentialError("The text is too long for a credential.");
  const trimmed = text.trim().replace(/^"(.*)"$/, "$1");
  const jwt = /^(?:data:application\/vc(?:-ld)?\+jwt,)?(ey[\w-]+\.[\w-]+\.[\w-]*)$/.exec(trimmed)?.[1];
  if (jwt !== undefined) return parseJwt(jwt);
  const json = parseObject(trimmed, "The text");
  if (
    json.type === "EnvelopedVerifiableCredential" &&
    typeof json.id === "string" &&
    json.id.startsWith("data:")
  )
    return parseCredential(json.id);
  const proofs = [json.proof ?? []].flat();
  const [proof] = proofs;
  const claims = claimsOf(json);
  if (!isObject(proof)) return { ...claims, proof: { kind: "unsupported", name: "none" } };
  if (proofs.length > 1) return { ...claims, proof: { kind: "unsupported", name: "several proofs" } };
  const endTimes = [claims.validUntil, timeOf(proof.expires)].filter((ms) => ms !== undefined);
  const validUntil = endTimes.length === 0 ? undefined : Math.min(...endTimes);
  return { ...claims, validUntil, proof: dataIntegrityProof(json, proof) };
}

const multicodecs: Partial<Record<KeyType, Uint8Array>> = {
  ed25519: Uint8Array.of(0xed, 0x01),
  secp256k1: Uint8Array.of(0xe7, 0x01),
  secp256r1: Uint8Array.of(0x80, 0x24),
};

function keyBytes({ publicKeyMultibase }: AssertionKey, keyType: KeyType): Uint8Array | undefined {
  const codec = multicodecs[keyType] ?? new Uint8Array(0);
  const bytes = publicKeyMultibase.startsWith("z")
    ? tryDecode(() => decodeBase58(publicKeyMultibase.slice(1), MAX_KEY_BASE58_LENGTH))
    : undefined;
  return bytes !== undefined && bytesEqual(bytes.subarray(0, codec.length), codec)
    ? bytes.subarray(codec.length)
    : undefined;
}

/** Returns `unknown key` if `keys` has no key for the proof, `not checked` if the proof is unsupported. */
export function checkProof(
  { proof }: Credential,
  keys: readonly AssertionKey[],
): "valid" | "invalid" | "unknown key" | "not checked" {
  if (proof.kind === "unsupported") return "not checked";
  const { keyId, keyType, signedBytes, signature } = proof;
  const matchingKeys = keys.filter(({ id }) => keyId === undefined || id === keyId);
  const candidates = matchingKeys.map((key) => keyBytes(key, keyType)).filter((bytes) => bytes !== undefined);
  if (candidates.length === 0) return "unknown key";
  const isValid =
    signature.length === SIGNATURE_LENGTH &&
    candidates.some((bytes) => verify({ keyType, bytes }, signedBytes, signature));
  return isValid ? "valid" : "invalid";
}
