/** Finds what a search text can refer to. */
import { decodeBase58, encodeBase58 } from "../../bytes/base58.ts";
import { decodeBase64 } from "../../bytes/base64.ts";
import { tryDecode } from "../../bytes/errors.ts";
import { decodeHex, encodeHex } from "../../bytes/hex.ts";
import { ADDRESS_LENGTH, checkAddressBytes, InvalidAddressError } from "../../crypto/addresses.ts";
import { HASH_LENGTHS } from "../../crypto/hash-lengths.ts";
import { lookupTexts as texts } from "./texts.ts";

export type Candidate =
  | { readonly kind: "height" | "block" | "transaction" | "address" | "did"; readonly text: string }
  | { readonly kind: "public key"; readonly text: string }
  /** `text` is in lower-case hex. */
  | { readonly kind: "hash"; readonly text: string; readonly encoding: "hex" | "Base58" | "Base64" };

export type ParsedSearch =
  | { readonly kind: "candidates"; readonly candidates: readonly Candidate[] }
  | { readonly kind: "nothing"; readonly message: string; readonly advice: string };

const MAX_TEXT_LENGTH = 2_048;
const MAX_HEIGHT = 2 ** 31 - 1;
/** Old transactions have ids of this length too. */
const BLOCK_ID_LENGTH = 64;
const MAX_BASE58_LENGTH = 88;
const MAX_BASE64_LENGTH = 88;

const noCandidates = (message: string, advice = texts.hint): ParsedSearch => ({
  kind: "nothing",
  message,
  advice,
});

/** Characters that are often copied together with an id. */
const SURROUNDING_CHARACTERS =
  /^[\s"'`<([{“”‘’«»\u200b-\u200f\u2060\ufeff]+|[\s"'`>)\]}.,;“”‘’«»\u200b-\u200f\u2060\ufeff]+$/g;

/** Returns why bytes are not an address of the network; undefined if valid. */
function addressFault(bytes: Uint8Array, chainId: number): ParsedSearch | undefined {
  try {
    // Uses the chain id in the bytes, so that only a typo fails here.
    checkAddressBytes(bytes, bytes[1] ?? 0);
  } catch (error) {
    if (error instanceof InvalidAddressError) return noCandidates(texts.checksum, texts.copyAgain);
    throw error;
  }
  const networkName = (byte: number): string =>
    byte > 0x20 && byte < 0x7f ? String.fromCharCode(byte) : texts.chainId(byte);
  if (bytes[1] === chainId) return undefined;
  return noCandidates(
    texts.otherNetwork(networkName(bytes[1]), networkName(chainId)),
    texts.otherNetworkAdvice,
  );
}

function parseHeight(text: string): number | undefined {
  const found = /^#?(\d{1,10}|\d{1,3}(?:[,._ '\u00a0\u202f]\d{3}){1,3})$/.exec(text);
  const height = found === null ? 0 : Number(found[1].replace(/\D/g, ""));
  return height >= 1 && height <= MAX_HEIGHT ? height : undefined;
}

function parseDid(text: string, chainId: number): ParsedSearch {
  const [, method = "", address = ""] = /^did:([a-z0-9]*):([1-9A-HJ-NP-Za-km-z]*)/i.exec(text) ?? [];
  if (method === "") return noCandidates(texts.didWithoutMethod);
  const bytes = address.length > 40 ? undefined : tryDecode(() => decodeBase58(address, 40));
  if (bytes?.length !== ADDRESS_LENGTH)
    return method.toLowerCase() === "lto"
      ? noCandidates(texts.didWithoutAddress, texts.copyAgain)
      : noCandidates(texts.unknownDidMethod(method), texts.knownDidMethod);
  return addressFault(bytes, chainId) ?? { kind: "candidates", candidates: [{ kind: "did", text }] };
}

const candidateIf = (condition: boolean, candidate: Candidate): Candidate[] => (condition ? [candidate] : []);

function base58Candidates(text: string, bytes: Uint8Array): Candidate[] {
  const { length } = bytes;
  return [
    ...candidateIf(length === BLOCK_ID_LENGTH, { kind: "block", text }),
    ...candidateIf(length === BLOCK_ID_LENGTH || length === 32, { kind: "transaction", text }),
    ...candidateIf(HASH_LENGTHS.has(length), { kind: "hash", text: encodeHex(bytes), encoding: "Base58" }),
    ...candidateIf(length === 32 || length === 33, { kind: "public key", text }),
  ];
}

function hashCandidates(bytes: Uint8Array, encoding: "hex" | "Base64"): Candidate[] {
  const text = encodeBase58(bytes);
  return [
    { kind: "hash", text: encodeHex(bytes), encoding },
    ...candidateIf(bytes.length === 32, { kind: "transaction", text }),
    ...candidateIf(bytes.length === BLOCK_ID_LENGTH, { kind: "block", text }),
  ];
}

function parseBase64(text: string): Uint8Array | undefined {
  if (text.length > MAX_BASE64_LENGTH || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) return undefined;
  const plain = text.replace(/=+$/, "").replace(/-/g, "+").replace(/_/g, "/");
  if (plain.length % 4 === 1) return undefined;
  return tryDecode(() => decodeBase64(plain.padEnd(Math.ceil(plain.length / 4) * 4, "=")));
}

function parsePlain(text: string, chainId: number): ParsedSearch {
  const candidates: Candidate[] = [];
  const height = parseHeight(text);
  if (height !== undefined) candidates.push({ kind: "height", text: String(height) });
  const hex = /^(?:0x)?((?:[0-9a-f]{2})+)$/i.exec(text)?.[1];
  if (hex !== undefined && HASH_LENGTHS.has(hex.length / 2)) {
    candidates.push(...hashCandidates(decodeHex(hex), "hex"));
  }
  const base58 =
    text.length > MAX_BASE58_LENGTH ? undefined : tryDecode(() => decodeBase58(text, MAX_BASE58_LENGTH));
  if (base58?.length === ADDRESS_LENGTH && base58[0] === 1) {
    const fault = addressFault(base58, chainId);
    if (fault !== undefined) return fault;
    candidates.push({ kind: "address", text });
  } else if (base58 !== undefined && candidates.length === 0)
    candidates.push(...base58Candidates(text, base58));
  // A text that is valid as hex and as Base64 is read as hex.
  const base64 = hex === undefined ? parseBase64(text) : undefined;
  if (base64 !== undefined && HASH_LENGTHS.has(base64.length))
    candidates.push(...hashCandidates(base64, "Base64"));
  return candidates.length > 0
    ? { kind: "candidates", candidates }
    : noCandidates(explainMismatch(text, hex, base58));
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

function urlParts(text: string): readonly string[] | undefined {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  const { pathname, searchParams, hash } = new URL(text);
  const decoded = (part: string): string => {
    try {
      return decodeURIComponent(part);
    } catch {
      // The percent sign is not part of an encoded character.
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

export function parseSearch(text: string, chainId: number): ParsedSearch {
  const trimmed = text.slice(0, 2 * MAX_TEXT_LENGTH).replace(SURROUNDING_CHARACTERS, "");
  if (trimmed === "") return noCandidates(texts.empty);
  if (trimmed.length > MAX_TEXT_LENGTH) return noCandidates(texts.tooLong(text.length));
  if (/^did:/i.test(trimmed)) return parseDid(trimmed, chainId);
  // The last part of a URN is the hash: urn:sha256:….
  const urn = /^urn:[^:]+:(?:[^?#]*:)?([^:?#]+)/i.exec(trimmed);
  if (urn !== null) return parsePlain(urn[1], chainId);
  const parts = urlParts(trimmed);
  if (parts !== undefined) {
    const parsedParts = parts
      .slice(0, 20)
      .map((part) => (/^did:/i.test(part) ? parseDid(part, chainId) : parsePlain(part, chainId)));
    const match = parsedParts.find(({ kind }) => kind === "candidates");
    return match ?? noCandidates(texts.url);
  }
  const plain = trimmed.replace(/^address:/i, "");
  // Join an id that was split over lines, but not a number with spaces between thousands.
  const isSplit = parseHeight(plain) === undefined && /^[\w+/=-]{8,}(?:\s+[\w+/=-]+)+$/.test(plain);
  return parsePlain(isSplit ? plain.replace(/\s+/g, "") : plain, chainId);
}

type ParsedCredential =
  /** In Base58, as the node's route expects. */
  { readonly kind: "credential"; readonly id: string } | Extract<ParsedSearch, { readonly kind: "nothing" }>;

/** Accepts a hash in any form that search accepts. */
export function parseCredential(text: string, chainId: number): ParsedCredential {
  const advice = texts.credentialAdvice;
  const parsed = parseSearch(text, chainId);
  if (parsed.kind === "nothing") return { ...parsed, advice };
  const hash = parsed.candidates.find((candidate) => candidate.kind === "hash");
  if (hash === undefined) return { kind: "nothing", message: texts.notCredential, advice };
  return { kind: "credential", id: encodeBase58(decodeHex(hash.text)) };
}
