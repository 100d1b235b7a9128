import { decodeBase58 } from "../../bytes/base58.ts";
import { decodeBase64 } from "../../bytes/base64.ts";
import { tryDecode } from "../../bytes/errors.ts";
import { decodeHex } from "../../bytes/hex.ts";
import { ChainpointError, type ParsedChainpoint, parseChainpoint } from "../../chainpoint/proof.ts";
import { HASH_LENGTHS } from "../../crypto/hash-lengths.ts";

const MAX_HASH_TEXT = 200;

/** UTF-16 units; a proof with the longest path has about 10 KB. */
export const MAX_PROOF_LENGTH = 65_536;

/** Tries hex, Base58 and Base64 in this order. */
export function parseHash(text: string): Uint8Array | undefined {
  const plain = text.trim().replace(/^(sha256:|0x|base64:)/i, "");
  if (plain === "" || plain.length > MAX_HASH_TEXT) return undefined;
  const readers: ((plain: string) => Uint8Array | undefined)[] = [
    (one) => (/^([0-9a-f]{2})+$/i.test(one) ? decodeHex(one) : undefined),
    (one) => tryDecode(() => decodeBase58(one, MAX_HASH_TEXT)),
    (one) => tryDecode(() => decodeBase64(one)),
  ];
  for (const read of readers) {
    const hash = read(plain);
    if (hash !== undefined && HASH_LENGTHS.has(hash.length)) return hash;
  }
  return undefined;
}

export interface ParsedProof {
  readonly json: unknown;
  readonly read: ParsedChainpoint;
}

export function parseProof(text: string): ParsedProof | undefined {
  if (text.length > MAX_PROOF_LENGTH || !/^\s*\{/.test(text)) return undefined;
  try {
    const json: unknown = JSON.parse(text);
    return { json, read: parseChainpoint(json) };
  } catch (error) {
    if (error instanceof ChainpointError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
