import { isIP } from "node:net";
import { homedir } from "node:os";
import { resolve } from "node:path";
import type { CheckpointItem } from "../../blocks/checkpoint.ts";
import { decodeBase58, encodeBase58 } from "../../bytes/base58.ts";
import { reasonOf } from "../../bytes/errors.ts";
import { decodeUtf8, encodeUtf8 } from "../../bytes/utf8.ts";
import { addressText, InvalidAddressError, parseAddress } from "../../crypto/addresses.ts";
import {
  DEFAULT_PORT,
  formatPeerAddress,
  type PeerAddress,
  PeerAddressError,
  parsePeerAddress,
} from "../../peers/peer-address.ts";
import {
  DISPLAY_NAME_FORM,
  isDisplayName,
  isTokenSymbol,
  TOKEN_SYMBOL_FORM,
} from "../../profiles/display-names.ts";
import type { NetworkProfile } from "../../profiles/index.ts";
import { readBounded } from "./bounded-file.ts";
import { Secret, SecretFile } from "./secret.ts";

const MAX_SEED_LENGTH = 10_000;

/** The message says what is expected and never repeats a secret. */
export class InvalidValueError extends Error {
  override readonly name = "InvalidValueError";
}

/** How a setting's value is parsed and printed. */
export interface Kind<T> {
  /** Valid values for help and messages: `a port from 0 to 65535`. */
  readonly expects: string;
  /** Placeholder in help; undefined for a switch. */
  readonly placeholder?: string | undefined;
  readonly secret?: boolean | undefined;
  /** Word that means that the value is absent. The reference uses `null`. */
  readonly none?: string | undefined;
  /** @throws InvalidValueError */
  read(value: unknown, network: NetworkProfile): T;
  write(value: T): unknown;
}

export function refuse(expects: string, value: unknown): never {
  const valueText = typeof value === "string" ? `"${value}"` : JSON.stringify(value);
  throw new InvalidValueError(`expected ${expects}, got ${valueText}`);
}

function shortText(value: unknown, limit: number, expects = expectedText(limit)): string {
  return typeof value === "string" && value.length > 0 && value.length <= limit
    ? value
    : refuse(expects, value);
}

const expectedText = (limit: number): string => `a text of 1 to ${limit} characters`;

/** Text of 1 to `limit` characters. In YAML, quote a text of digits. */
export function text(placeholder: string, limit = 1_000): Kind<string> {
  return {
    expects: expectedText(limit),
    placeholder,
    read: (value) => shortText(value, limit),
    write: (value) => value,
  };
}

export const textBytes: Kind<Uint8Array> = {
  expects: expectedText(MAX_SEED_LENGTH),
  placeholder: "TEXT",
  read: (value) => encodeUtf8(shortText(value, MAX_SEED_LENGTH)),
  write: decodeUtf8,
};

/** 26 bytes. */
export const address: Kind<Uint8Array> = {
  expects: "an address of the network",
  placeholder: "ADDRESS",
  read: (value, { chainId }) => {
    if (typeof value !== "string") return refuse(address.expects, value);
    try {
      return parseAddress(value, chainId);
    } catch (error) {
      if (!(error instanceof InvalidAddressError)) throw error;
      throw new InvalidValueError(`"${value}" is not an address of this network: ${error.message}`);
    }
  },
  write: addressText,
};

const HOST = /^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*$/;

export const host: Kind<string> = {
  expects: "an IP address or a host name",
  placeholder: "HOST",
  read: (value) =>
    typeof value === "string" && value.length <= 253 && (isIP(value) !== 0 || HOST.test(value))
      ? value
      : refuse(host.expects, value),
  write: (value) => value,
};

/**
 * Makes a path absolute; `~/` is the home directory.
 * @throws InvalidValueError
 */
export function absolutePath(value: unknown): string {
  if (typeof value !== "string" || value === "" || value.includes("\0")) return refuse("a path", value);
  return resolve(value === "~" || value.startsWith("~/") ? homedir() + value.slice(1) : value);
}

const MAX_FILE_BYTES = 2 ** 20;

/** @throws InvalidValueError if the file is unreadable or exceeds `limit` bytes */
export function readSettingFile(path: string, limit = MAX_FILE_BYTES): string {
  let text: string | undefined;
  try {
    text = readBounded(path, limit);
  } catch (error) {
    throw new InvalidValueError(`cannot read ${path}: ${reasonOf(error)}`);
  }
  if (text === undefined)
    throw new InvalidValueError(
      `${path} exceeds ${limit < 2 ** 20 ? `${limit / 2 ** 10} KiB` : `${limit / 2 ** 20} MiB`}`,
    );
  return text;
}

export const path: Kind<string> = {
  expects: "a path",
  placeholder: "PATH",
  read: absolutePath,
  write: (value) => value,
};

/** `none` (`null` in settings of the reference) means undefined. */
export const pathOrNone: Kind<string | undefined> = {
  ...path,
  none: "none",
  expects: "a path, or none",
  read: (value) => (value === "none" || value === "null" ? undefined : absolutePath(value)),
  write: (value) => value ?? "none",
};

/** One of `words`, in lower or upper case; `aliases` maps further words to them. */
export function oneOf<const T extends string>(
  words: readonly T[],
  aliases: { readonly [word: string]: T } = {},
): Kind<T> {
  const expects = `one of ${words.join(", ")}`;
  return {
    expects,
    placeholder: words.length <= 4 ? words.join("|") : "WORD",
    read: (value) => {
      const word = typeof value === "string" ? value.toLowerCase() : "";
      const found = words.find((candidate) => candidate === word);
      if (found !== undefined) return found;
      return Object.hasOwn(aliases, word) ? aliases[word] : refuse(expects, value);
    },
    write: (value) => value,
  };
}

const TRUE = ["yes", "true", "t", "1", "on"];
const FALSE = ["no", "false", "f", "0", "off"];

/** Accepts the words of the reference's start script (page 06 §8.3). */
export const booleanKind: Kind<boolean> = {
  expects: "yes or no",
  read: (value) => {
    if (typeof value === "boolean") return value;
    const word = String(value).toLowerCase();
    if (TRUE.includes(word)) return true;
    return FALSE.includes(word) ? false : refuse(booleanKind.expects, value);
  },
  write: (value) => value,
};

/** A whole number from `from` to `to`, both included. @param label name of the number in errors */
export function whole(from: number, to: number, label = "a whole number"): Kind<number> {
  const expects = `${label} from ${from} to ${to}`;
  return {
    expects,
    placeholder: "N",
    read: (value) => {
      const number = typeof value === "string" && /^[0-9]{1,15}$/.test(value) ? Number(value) : value;
      return typeof number === "number" && Number.isInteger(number) && number >= from && number <= to
        ? number
        : refuse(expects, value);
    },
    write: (value) => value,
  };
}

const MIN_INT64 = -(2n ** 63n);
const MAX_INT64 = 2n ** 63n - 1n;

/** A signed 64-bit integer. In YAML, quote numbers above 2^53. */
export const int64: Kind<bigint> = {
  expects: "a 64-bit whole number",
  placeholder: "N",
  read: (value) => {
    const digits = typeof value === "number" && Number.isSafeInteger(value) ? String(value) : value;
    if (typeof digits !== "string" || !/^-?[0-9]{1,19}$/.test(digits)) return refuse(int64.expects, value);
    const number = BigInt(digits);
    return number >= MIN_INT64 && number <= MAX_INT64 ? number : refuse(int64.expects, value);
  },
  write: (value) => (Number.isSafeInteger(Number(value)) ? Number(value) : String(value)),
};

const MAX_NODE_NAME_BYTES = 127;

/** The handshake limits a node name's length. Page 04 §5.1. */
export const nodeName: Kind<string> = {
  ...text("TEXT"),
  expects: `a text of 1 to ${MAX_NODE_NAME_BYTES} bytes`,
  read: (value) => {
    const name = shortText(value, 1_000);
    // The reference's text is wrong: 127 bytes are valid.
    if (encodeUtf8(name).length > MAX_NODE_NAME_BYTES)
      throw new InvalidValueError("requirement failed: Node name should have length less than 127 bytes");
    return name;
  },
};

function textOfForm(expects: string, hasForm: (text: string) => boolean): Kind<string> {
  return {
    ...text("TEXT"),
    expects,
    read: (value) => (typeof value === "string" && hasForm(value) ? value : refuse(expects, value)),
  };
}

export const tokenSymbol = textOfForm(TOKEN_SYMBOL_FORM, isTokenSymbol);
export const displayName = textOfForm(DISPLAY_NAME_FORM, isDisplayName);

/** `host:port`. Without `needsPort`, the port is optional; page 04 §3 defines the default. */
export function peerAddress({ needsPort }: { readonly needsPort: boolean }): Kind<PeerAddress> {
  const expects = needsPort ? "an address as HOST:PORT" : "an address as HOST or HOST:PORT";
  return {
    expects,
    placeholder: "HOST:PORT",
    read: (value) => {
      if (typeof value !== "string") return refuse(expects, value);
      try {
        return parsePeerAddress(value, needsPort ? undefined : DEFAULT_PORT);
      } catch (error) {
        if (!(error instanceof PeerAddressError)) throw error;
        throw new InvalidValueError(error.message);
      }
    },
    write: formatPeerAddress,
  };
}

/** Comma-separated text or a YAML list. Removes duplicates. */
export function list<T>(item: Kind<T>, placeholder: string): Kind<readonly T[]> {
  const expects = `a list separated by commas, each ${item.expects}`;
  return {
    expects,
    placeholder,
    read: (value, network) => {
      const parts =
        typeof value === "string"
          ? value
              .split(",")
              .map((part) => part.trim())
              .filter((part) => part !== "")
          : typeof value === "number"
            ? [value]
            : value;
      return Array.isArray(parts)
        ? [...new Set(parts.map((part) => item.read(part, network)))]
        : refuse(expects, value);
    },
    write: (value) => value.map((element) => item.write(element)),
  };
}

const MAX_BASE58_LENGTH = 2_000;

/** @param length bytes; default: any */
export function base58(length?: number): Kind<Uint8Array> {
  const expects = length === undefined ? "Base58 text" : `Base58 text of ${length} bytes`;
  return {
    expects,
    placeholder: "BASE58",
    read: (value) => {
      if (typeof value !== "string") return refuse(expects, value);
      let bytes: Uint8Array;
      try {
        bytes = decodeBase58(value, MAX_BASE58_LENGTH);
      } catch {
        return refuse(expects, value);
      }
      return length === undefined || bytes.length === length ? bytes : refuse(expects, value);
    },
    write: encodeBase58,
  };
}

const NO_HASH = "-";

/** Hash of the API key; `-`: the node has no API key. Page 06 §8.1. */
export const keyHash: Kind<Uint8Array | undefined> = {
  ...base58(32),
  // Errors do not repeat the value, which may be the key itself.
  read: (value, network) => (value === NO_HASH ? undefined : readHidden(base58(32), value, network)),
  write: (hash) => (hash === undefined ? NO_HASH : encodeBase58(hash)),
};

const CHECKPOINT = /^([1-9][0-9]{0,9}):([1-9A-HJ-NP-Za-km-z]{60,90})$/;
const BLOCK_ID_LENGTH = 64;
const MAX_HEIGHT = 2 ** 31 - 1;

/** Converts the reference's `{ height = 5, signature = "..." }` to `5:...`. Page 04 §23.3. */
function checkpointText(value: unknown): string {
  if (typeof value !== "object" || value === null || !("height" in value && "signature" in value))
    return String(value);
  return `${value.height}:${value.signature}`;
}

export const checkpointItem: Kind<CheckpointItem> = {
  expects: "a height and the Base58 id of a block as HEIGHT:ID",
  placeholder: "HEIGHT:ID",
  read: (value) => {
    const match = CHECKPOINT.exec(checkpointText(value));
    const height = Number(match?.[1]);
    const id = match === null ? new Uint8Array(0) : decodeBase58(match[2], match[2].length);
    return height <= MAX_HEIGHT && id.length === BLOCK_ID_LENGTH
      ? { height, id }
      : refuse(checkpointItem.expects, value);
  },
  write: ({ height, id }) => `${height}:${encodeBase58(id)}`,
};

/** RFC 4330, section 4. */
const TIME_SERVER_PORT = 123;
const NO_SERVER = "off";

/** `off` means undefined. */
export const timeServer: Kind<PeerAddress | undefined> = {
  expects: "HOST or HOST:PORT of a time server, or off",
  placeholder: "HOST[:PORT]",
  read: (value) => {
    // YAML parses `off` as a boolean.
    if (value === false || String(value).toLowerCase() === NO_SERVER) return undefined;
    if (typeof value !== "string") return refuse(timeServer.expects, value);
    try {
      return parsePeerAddress(value, TIME_SERVER_PORT);
    } catch (error) {
      if (error instanceof PeerAddressError) return refuse(timeServer.expects, value);
      throw error;
    }
  },
  write: (server) => (server === undefined ? NO_SERVER : formatPeerAddress(server)),
};

/**
 * Reads a value without repeating it in errors.
 * @throws InvalidValueError
 */
function readHidden<T>(kind: Kind<T>, value: unknown, network: NetworkProfile): T {
  try {
    return kind.read(value, network);
  } catch (error) {
    if (!(error instanceof InvalidValueError)) throw error;
    throw new InvalidValueError(`expected ${kind.expects} (the value given is not shown)`);
  }
}

/** The longest seed text needs fewer bytes. */
const MAX_SECRET_FILE_BYTES = 65_536;

/**
 * Returns the file's text without a final newline.
 * @throws InvalidValueError if the file is unreadable, empty, larger than 64 KiB, or not UTF-8
 */
function contentOf(file: SecretFile): string {
  if (file.loaded !== undefined) return file.loaded.content;
  const path = absolutePath(file.path);
  const content = readSettingFile(path, MAX_SECRET_FILE_BYTES).replace(/\r?\n$/, "");
  if (content === "") throw new InvalidValueError(`${path} is empty`);
  // The decoder replaces invalid bytes by U+FFFD, which would weaken the secret.
  if (content.includes("\ufffd")) throw new InvalidValueError(`${path} is not UTF-8 text`);
  file.loaded = { path, content };
  return content;
}

/** Wraps a kind so that no output shows the value. Also accepts a `SecretFile`. */
export function secret<T>(kind: Kind<T>): Kind<Secret<T>> {
  return {
    expects: kind.expects,
    placeholder: kind.placeholder,
    secret: true,
    read: (value, network) => {
      const input = value instanceof SecretFile ? contentOf(value) : value;
      return new Secret(readHidden(kind, input, network));
    },
    write: (value) => value.toString(),
  };
}
