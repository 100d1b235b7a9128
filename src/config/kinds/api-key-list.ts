/**
 * The file of named API keys: a YAML list of
 *
 *     - name: backup
 *       scopes: [read, wallet]
 *       hash: 8y3Qd...          # Base58 of SHA-256(BLAKE2b-256(key)), as in `api-key-hash`
 *       expires: 2027-01-31     # optional: a date, or a date and time
 */
import { createRequire } from "node:module";
import { decodeBase58, encodeBase58 } from "../../bytes/base58.ts";
import { parseXmlDatetime } from "../../bytes/dates.ts";
import { MAIN_KEY_NAME } from "../../http/access/auth.ts";
import { type NamedKey, SCOPES, type Scope } from "../../http/access/named-keys.ts";
import { absolutePath, InvalidValueError, type Kind, path, readSettingFile } from "./kinds.ts";

export const MAX_API_KEYS_BYTES = 65_536;
/** The node compares the key of each request with all hashes. */
const MAX_KEYS = 100;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,49}$/;
const HASH_LENGTH = 32;
const ENTRY_MEMBERS = ["name", "scopes", "hash", "expires"];
const MAX_QUOTED_LENGTH = 40;

export interface ApiKeyFileSetting {
  readonly path: string;
  readonly keys: readonly NamedKey[];
}

function quoted(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? String(value));
  return `"${text.length > MAX_QUOTED_LENGTH ? `${text.slice(0, MAX_QUOTED_LENGTH)}…` : text}"`;
}

/** @throws InvalidValueError */
export function parseKeyName(value: unknown): string {
  if (typeof value !== "string" || !NAME.test(value))
    throw new InvalidValueError(
      `invalid name ${quoted(value)}: expected 1 to 50 letters, digits and . _ -, with a letter or digit first`,
    );
  if (value === MAIN_KEY_NAME)
    throw new InvalidValueError(`the name ${MAIN_KEY_NAME} is reserved for the key of --api-key-hash`);
  return value;
}

/**
 * Returns the scopes in the order of `SCOPES`.
 * @param value one scope or a non-empty list
 * @throws InvalidValueError that names an unknown scope
 */
export function parseKeyScopes(value: unknown): readonly Scope[] {
  const words: readonly unknown[] = Array.isArray(value) ? value : value === undefined ? [] : [value];
  if (words.length === 0)
    throw new InvalidValueError(`it has no scopes: expected some of ${SCOPES.join(", ")}`);
  for (const word of words)
    if (!SCOPES.some((scope) => scope === word))
      throw new InvalidValueError(`unknown scope ${quoted(word)}: expected some of ${SCOPES.join(", ")}`);
  return SCOPES.filter((scope) => words.includes(scope));
}

/**
 * Parses the time when a key becomes invalid. A date without a time means the start of the day in UTC.
 * @returns ms since 1970
 * @throws InvalidValueError
 */
export function parseKeyExpiry(value: unknown): number {
  const text = typeof value === "string" ? value : "";
  const time = parseXmlDatetime(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text);
  if (time === undefined)
    throw new InvalidValueError(
      `invalid expires ${quoted(value)}: expected a date such as 2027-01-31 or 2027-01-31T12:00:00Z`,
    );
  return time;
}

function parseKeyHash(value: unknown): Uint8Array {
  // Errors do not repeat the value: it may be the key itself.
  try {
    const bytes = decodeBase58(typeof value === "string" ? value : "", 100);
    if (bytes.length === HASH_LENGTH) return bytes;
  } catch {
    // The text is not Base58.
  }
  throw new InvalidValueError(
    "invalid hash (not shown): expected the Base58 of 32 bytes, as `holdfast apikey hash` prints it",
  );
}

function parseEntry(entry: unknown): NamedKey {
  if (typeof entry !== "object" || entry === null || Array.isArray(entry))
    throw new InvalidValueError("expected name, scopes and hash");
  // The functions that parse the members accept any type.
  const { name, scopes, hash, expires } = entry as Record<string, unknown>;
  const unknown = Object.keys(entry).find((member) => !ENTRY_MEMBERS.includes(member));
  if (unknown !== undefined)
    throw new InvalidValueError(`unknown member ${quoted(unknown)}: expected ${ENTRY_MEMBERS.join(", ")}`);
  return {
    name: parseKeyName(name),
    scopes: parseKeyScopes(scopes),
    hash: parseKeyHash(hash),
    ...(expires === undefined || expires === null ? {} : { expiresAt: parseKeyExpiry(expires) }),
  };
}

function parseYaml(text: string): unknown {
  const { parseDocument } = createRequire(import.meta.url)("yaml") as typeof import("yaml");
  const document = parseDocument(text);
  const [error] = document.errors;
  // Further lines of the message quote the file.
  if (error !== undefined) throw new InvalidValueError(`invalid YAML: ${error.message.split("\n")[0]}`);
  try {
    return document.toJS();
  } catch {
    // An alias is unknown, or the aliases expand to too many values.
    throw new InvalidValueError("invalid YAML: cannot resolve its aliases");
  }
}

/** @throws InvalidValueError that names the entry and never shows a hash */
export function parseApiKeys(text: string): readonly NamedKey[] {
  if (Buffer.byteLength(text) > MAX_API_KEYS_BYTES) throw new InvalidValueError("the file exceeds 64 KiB");
  const content = parseYaml(text);
  // An editor may empty the file before it writes. After an error, the node keeps its current keys.
  if (content === null || content === undefined)
    throw new InvalidValueError("the file is empty: write [] for no keys");
  if (!Array.isArray(content)) throw new InvalidValueError("expected a list of keys");
  if (content.length > MAX_KEYS) throw new InvalidValueError(`the file has more than ${MAX_KEYS} keys`);
  const keys: NamedKey[] = [];
  for (const [i, entry] of content.entries()) {
    try {
      const key = parseEntry(entry);
      if (keys.some(({ name }) => name === key.name))
        throw new InvalidValueError(`the name ${key.name} occurs twice`);
      if (keys.some(({ hash }) => Buffer.compare(hash, key.hash) === 0))
        throw new InvalidValueError("another entry has the same hash");
      keys.push(key);
    } catch (error) {
      if (!(error instanceof InvalidValueError)) throw error;
      throw new InvalidValueError(`key ${i + 1}: ${error.message}`);
    }
  }
  return keys;
}

export function formatApiKeyEntry({ name, scopes, hash, expiresAt }: NamedKey): string {
  // YAML would read an unquoted name such as `1` or `null` as another type.
  const lines = [
    `- name: ${JSON.stringify(name)}`,
    `  scopes: [${scopes.join(", ")}]`,
    `  hash: ${JSON.stringify(encodeBase58(hash))}`,
    ...(expiresAt === undefined ? [] : [`  expires: "${new Date(expiresAt).toISOString()}"`]),
  ];
  return `${lines.join("\n")}\n`;
}

export const apiKeyFile: Kind<ApiKeyFileSetting> = {
  ...path,
  expects: "the path of a YAML file",
  read: (value) => {
    const file = absolutePath(value);
    const text = readSettingFile(file);
    try {
      return { path: file, keys: parseApiKeys(text) };
    } catch (error) {
      if (!(error instanceof InvalidValueError)) throw error;
      throw new InvalidValueError(`${file}: ${error.message}`);
    }
  },
  write: ({ path }) => path,
};
