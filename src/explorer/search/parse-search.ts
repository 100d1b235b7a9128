/** Finds out what a search text can be, without asking the node. */
import { decodeBase58, encodeBase58 } from "../../bytes/base58.ts";
import { decodeBase64 } from "../../bytes/base64.ts";
import { tryDecode } from "../../bytes/errors.ts";
import { decodeHex, encodeHex } from "../../bytes/hex.ts";
import { ADDRESS_LENGTH, checkAddressBytes, InvalidAddressError } from "../../crypto/addresses.ts";
import { HASH_LENGTHS } from "../../crypto/hash-lengths.ts";
import { lookupTexts as texts } from "./texts.ts";

export type Candidate =
  | { readonly kind: "height"; readonly height: number }
  | { readonly kind: "block"; readonly id: string }
  | { readonly kind: "transaction"; readonly id: string }
  | { readonly kind: "address"; readonly address: string }
  /** A DID or DID URL. */
  | { readonly kind: "did"; readonly did: string }
  /** @param hash in lower-case hex */
  | { readonly kind: "hash"; readonly hash: string; readonly encoding: "hex" | "Base58" | "Base64" }
  | { readonly kind: "public key"; readonly key: string };

export type ParsedSearch =
  /** Most likely first; at least one. */
  | { readonly kind: "candidates"; readonly candidates: readonly Candidate[] }
  /** Message and advice are sentences. */
  | { readonly kind: "nothing"; readonly message: string; readonly advice: string };

/** Far above the length of complete DID URLs. */
const MAX_TEXT = 2_048;
const MAX_HEIGHT = 2 ** 31 - 1;
const ID_LENGTH = 64;
/** Characters of 64 bytes in Base58 and Base64. */
const MAX_BASE58 = 88;
const MAX_BASE64 = 88;

const nothing = (message: string, advice = texts.hint): ParsedSearch => ({
  kind: "nothing",
  message,
  advice,
});

/** Copied along with a text: quotes, brackets, invisible characters, punctuation. */
const SURROUNDING =
  /^[\s"'`<([{“”‘’«»\u200b-\u200f\u2060\ufeff]+|[\s"'`>)\]}.,;“”‘’«»\u200b-\u200f\u2060\ufeff]+$/g;

/** Returns undefined for an address of the network. */
function addressFault(bytes: Uint8Array, chainId: number): ParsedSearch | undefined {
  try {
    // Check against the address's own network first: "another network" is the better message.
    checkAddressBytes(bytes, bytes[1] ?? 0);
  } catch (error) {
    if (error instanceof InvalidAddressError) return nothing(texts.checksum, texts.copyAgain);
    throw error;
  }
  const letter = (byte: number): string =>
    byte > 0x20 && byte < 0x7f ? String.fromCharCode(byte) : texts.chainId(byte);
  if (bytes[1] === chainId) return undefined;
  return nothing(texts.otherNetwork(letter(bytes[1]), letter(chainId)), texts.otherNetworkAdvice);
}

/** `12,345`, `12 345`, `#12345`. */
function parseHeight(text: string): number | undefined {
  const found = /^#?(\d{1,10}|\d{1,3}(?:[,._ '\u00a0\u202f]\d{3}){1,3})$/.exec(text);
  const height = found === null ? 0 : Number(found[1].replace(/\D/g, ""));
  return height >= 1 && height <= MAX_HEIGHT ? height : undefined;
}

/** Parses DID URLs too: `did:lto:3N…:derived:…?versionTime=…#sign`. */
function parseDid(text: string, chainId: number): ParsedSearch {
  const [, method = "", address = ""] = /^did:([a-z0-9]*):([1-9A-HJ-NP-Za-km-z]*)/i.exec(text) ?? [];
  if (method === "") return nothing(texts.didWithoutMethod);
  const bytes = address.length > 40 ? undefined : tryDecode(() => decodeBase58(address, 40));
  if (bytes?.length !== ADDRESS_LENGTH)
    return method.toLowerCase() === "lto"
      ? nothing(texts.didWithoutAddress, texts.copyAgain)
      : nothing(texts.unknownDidMethod(method), texts.knownDidMethod);
  return addressFault(bytes, chainId) ?? { kind: "candidates", candidates: [{ kind: "did", did: text }] };
}

const when = (condition: boolean, candidate: Candidate): Candidate[] => (condition ? [candidate] : []);

function base58Candidates(text: string, bytes: Uint8Array): Candidate[] {
  const { length } = bytes;
  return [
    ...when(length === ID_LENGTH, { kind: "block", id: text }),
    ...when(length === ID_LENGTH || length === 32, { kind: "transaction", id: text }),
    ...when(HASH_LENGTHS.has(length), { kind: "hash", hash: encodeHex(bytes), encoding: "Base58" }),
    ...when(length === 32 || length === 33, { kind: "public key", key: text }),
  ];
}

function hashCandidates(bytes: Uint8Array, encoding: "hex" | "Base64"): Candidate[] {
  const id = encodeBase58(bytes);
  return [
    { kind: "hash", hash: encodeHex(bytes), encoding },
    ...when(bytes.length === 32, { kind: "transaction", id }),
    ...when(bytes.length === ID_LENGTH, { kind: "block", id }),
  ];
}

/** Accepts both alphabets, with or without padding. */
function parseBase64(text: string): Uint8Array | undefined {
  if (text.length > MAX_BASE64 || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) return undefined;
  const plain = text.replace(/=+$/, "").replace(/-/g, "+").replace(/_/g, "/");
  if (plain.length % 4 === 1) return undefined;
  return tryDecode(() => decodeBase64(plain.padEnd(Math.ceil(plain.length / 4) * 4, "=")));
}

function parsePlain(text: string, chainId: number): ParsedSearch {
  const candidates: Candidate[] = [];
  const height = parseHeight(text);
  if (height !== undefined) candidates.push({ kind: "height", height });
  const hex = /^(?:0x)?((?:[0-9a-f]{2})+)$/i.exec(text)?.[1];
  if (hex !== undefined && HASH_LENGTHS.has(hex.length / 2)) {
    candidates.push(...hashCandidates(decodeHex(hex), "hex"));
  }
  const base58 = text.length > MAX_BASE58 ? undefined : tryDecode(() => decodeBase58(text, MAX_BASE58));
  if (base58?.length === ADDRESS_LENGTH && base58[0] === 1) {
    const fault = addressFault(base58, chainId);
    if (fault !== undefined) return fault;
    candidates.push({ kind: "address", address: text });
  } else if (base58 !== undefined && candidates.length === 0)
    candidates.push(...base58Candidates(text, base58));
  // Text that is valid hex and Base64 is hex.
  const base64 = hex === undefined ? parseBase64(text) : undefined;
  if (base64 !== undefined && HASH_LENGTHS.has(base64.length))
    candidates.push(...hashCandidates(base64, "Base64"));
  return candidates.length > 0
    ? { kind: "candidates", candidates }
    : nothing(explainMismatch(text, hex, base58));
}

function explainMismatch(text: string, hex: string | undefined, base58: Uint8Array | undefined): string {
  if (/^#?[\d,._ ']+$/.test(text))
    return /^#?[0,._ ']+$/.test(text) || /\d{10}/.test(text) ? texts.heightRange : texts.notWhole;
  if (hex !== undefined) return texts.hexLength(hex.length / 2);
  if (/^(?:0x)?[0-9a-f]{31,}$/i.test(text)) return texts.oddHex;
  if (base58 !== undefined && text.length > 30) return texts.base58Length(base58.length);
  if (/^[0-9A-Za-z]{30,90}$/.test(text) && /[0OIl]/.test(text)) return texts.notBase58;
  return texts.noMatch;
}

/** Returns the most likely part first; undefined for other text. */
function urlParts(text: string): readonly string[] | undefined {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  const { pathname, searchParams, hash } = new URL(text);
  const decoded = (part: string): string => {
    try {
      return decodeURIComponent(part);
    } catch {
      // A lone percent sign.
      return part;
    }
  };
  const query = ["q", "address", "id", "tx", "hash"].flatMap((name) => searchParams.getAll(name));
  return [
    ...pathname.split("/").reverse().map(decoded),
    ...query,
    ...hash.slice(1).split("/").reverse(),
  ].filter((part) => part !== "");
}

/** @param chainId of the node that the explorer shows */
export function parseSearch(text: string, chainId: number): ParsedSearch {
  const wanted = text.slice(0, 2 * MAX_TEXT).replace(SURROUNDING, "");
  if (wanted === "") return nothing(texts.empty);
  if (wanted.length > MAX_TEXT) return nothing(texts.tooLong(text.length));
  if (/^did:/i.test(wanted)) return parseDid(wanted, chainId);
  // The last part of a URN is the hash: urn:sha256:….
  const urn = /^urn:[^:]+:(?:[^?#]*:)?([^:?#]+)/i.exec(wanted);
  if (urn !== null) return parsePlain(urn[1], chainId);
  const parts = urlParts(wanted);
  if (parts !== undefined) {
    const readings = parts
      .slice(0, 20)
      .map((part) => (/^did:/i.test(part) ? parseDid(part, chainId) : parsePlain(part, chainId)));
    const found = readings.find(({ kind }) => kind === "candidates");
    return found ?? nothing(texts.url);
  }
  const plain = wanted.replace(/^address:/i, "");
  // Join ids that were wrapped over lines; numbers can have spaces between thousands.
  const joined = parseHeight(plain) === undefined && /^[\w+/=-]{8,}(?:\s+[\w+/=-]+)+$/.test(plain);
  return parsePlain(joined ? plain.replace(/\s+/g, "") : plain, chainId);
}

type ParsedCredential =
  /** Base58, as the node's route expects. */
  { readonly kind: "credential"; readonly id: string } | Extract<ParsedSearch, { readonly kind: "nothing" }>;

/**
 * Accepts a hash in any form that search accepts. Hex is never read as Base58, although all of its characters
 * may be valid there.
 * @param chainId of the node that the explorer shows
 */
export function parseCredential(text: string, chainId: number): ParsedCredential {
  const advice = texts.credentialAdvice;
  const reading = parseSearch(text, chainId);
  if (reading.kind === "nothing") return { ...reading, advice };
  const hash = reading.candidates.find((candidate) => candidate.kind === "hash");
  if (hash === undefined) return { kind: "nothing", message: texts.notCredential, advice };
  return { kind: "credential", id: encodeBase58(decodeHex(hash.hash)) };
}
