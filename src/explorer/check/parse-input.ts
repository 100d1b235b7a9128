import { decodeBase58 } from "../../bytes/base58.ts";
import { decodeBase64 } from "../../bytes/base64.ts";
import { tryDecode } from "../../bytes/errors.ts";
import { decodeHex } from "../../bytes/hex.ts";
import { ChainpointError, type ParsedChainpoint, parseChainpoint } from "../../chainpoint/proof.ts";
import { HASH_LENGTHS } from "../../crypto/hash-lengths.ts";

const MAX_HASH_TEXT_LENGTH = 200;

/** In UTF-16 units. */
export const MAX_PROOF_LENGTH = 65_536;

/** Parses a hash in hex, Base58 or Base64, tried in this order. */
export function parseHash(text: string): Uint8Array | undefined {
  const plain = text.trim().replace(/^(sha256:|0x|base64:)/i, "");
  if (plain === "" || plain.length > MAX_HASH_TEXT_LENGTH) return undefined;
  const decoders: ((plain: string) => Uint8Array | undefined)[] = [
    (hex) => (/^([0-9a-f]{2})+$/i.test(hex) ? decodeHex(hex) : undefined),
    (base58) => tryDecode(() => decodeBase58(base58, MAX_HASH_TEXT_LENGTH)),
    (base64) => tryDecode(() => decodeBase64(base64)),
  ];
  for (const decode of decoders) {
    const hash = decode(plain);
    if (hash !== undefined && HASH_LENGTHS.has(hash.length)) return hash;
  }
  return undefined;
}

export interface ParsedProof {
  readonly json: unknown;
  readonly chainpoint: ParsedChainpoint;
}

export function parseProof(text: string): ParsedProof | undefined {
  if (text.length > MAX_PROOF_LENGTH || !/^\s*\{/.test(text)) return undefined;
  try {
    const json: unknown = JSON.parse(text);
    return { json, chainpoint: parseChainpoint(json) };
  } catch (error) {
    if (error instanceof ChainpointError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
