/** The description of a source as JSON: in streams of units, in stores, and in the table `setting` of PostgreSQL. */
import { decodeBase58, encodeBase58 } from "../bytes/base58.ts";
import { DecodeError } from "../bytes/errors.ts";
import { ADDRESS_LENGTH } from "../crypto/addresses.ts";
import type { SourceDescription } from "../interfaces.ts";
import { UnitSourceError } from "./source-error.ts";

export const STREAM_VERSION = 1;

const GENESIS_ID_BYTES = 64;

export function descriptionJson({
  network,
  trustRoot,
  ...rest
}: SourceDescription): Readonly<Record<string, unknown>> {
  return {
    ...rest,
    network: { ...network, genesis: encodeBase58(network.genesis) },
    ...(trustRoot !== undefined && { trustRoot: encodeBase58(trustRoot) }),
  };
}

const SETTING_NAME = /^[a-z][a-z-]{0,60}$/;

type Members = Readonly<Record<string, unknown>>;

function members(value: unknown, name: string): Members {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new DecodeError(`"${name}" is not an object`);
  return value as Members;
}

function textOf(value: unknown, name: string): string {
  if (typeof value !== "string") throw new DecodeError(`"${name}" is not a string`);
  return value;
}

function integerOf(value: unknown, name: string): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value))
    throw new DecodeError(`"${name}" is not a whole number`);
  return value;
}

function base58Of(value: unknown, name: string, length: number): Uint8Array {
  // The Base58 text of n bytes has at most 1.4 n characters.
  const bytes = decodeBase58(textOf(value, name), 2 * length);
  if (bytes.length !== length) throw new DecodeError(`"${name}" has ${bytes.length} bytes, not ${length}`);
  return bytes;
}

/**
 * @param name of the source, for errors
 * @throws UnitSourceError `other version`, even if members other than `program` are invalid; DecodeError
 */
export function parseDescription(json: unknown, name: string): SourceDescription {
  const found = members(json, "description");
  const version = integerOf(found.version, "version");
  const program = textOf(found.program, "program");
  if (version !== STREAM_VERSION)
    throw new UnitSourceError(
      "other version",
      `The source ${name} (${program}) sends version ${version} of the stream of units, this program reads version ${STREAM_VERSION}`,
      { hint: version > STREAM_VERSION ? "upgrade this program" : "upgrade the source" },
    );
  const network = members(found.network, "network");
  const settings = members(found.settings, "settings");
  for (const [name, text] of Object.entries(settings)) {
    if (!SETTING_NAME.test(name)) throw new DecodeError("a setting has an invalid name");
    textOf(text, name);
  }
  return {
    version,
    program,
    network: {
      name: textOf(network.name, "name"),
      chainId: integerOf(network.chainId, "chainId"),
      genesis: base58Of(network.genesis, "genesis", GENESIS_ID_BYTES),
    },
    store: textOf(found.store, "store"),
    // All values are texts.
    settings: settings as Readonly<Record<string, string>>,
    // Older stores contain null.
    trustRoot:
      (found.trustRoot ?? undefined) === undefined
        ? undefined
        : base58Of(found.trustRoot, "trustRoot", ADDRESS_LENGTH),
  };
}
