import type { Command } from "commander";
import { UsageError } from "./exit-codes.ts";
import { readInput } from "./input.ts";
import type { Io } from "./io.ts";

const KEY_BYTES = 32;
const MIN_SAFE_LENGTH = 20;

interface NewKeyFlags {
  readonly scope?: readonly string[];
  readonly expires?: string;
}

async function withUsageErrors<T>(read: () => T): Promise<T> {
  const { InvalidValueError } = await import("../config/kinds/kinds.ts");
  try {
    return read();
  } catch (error) {
    if (!(error instanceof InvalidValueError)) throw error;
    throw new UsageError(error.message);
  }
}

async function hashOf(key: string): Promise<Uint8Array> {
  const { secureHash } = await import("../crypto/hashes.ts");
  const { encodeUtf8 } = await import("../bytes/utf8.ts");
  return secureHash(encodeUtf8(key));
}

function newCommand(apiKey: Command, io: Io): void {
  const command = apiKey
    .command("new")
    .description("create a random key and print its entry for the file of --api-keys")
    .argument("<NAME>", "name of the key in the log: letters, digits and . _ -")
    .option(
      "--scope <SCOPE>",
      "what the key may do: read, wallet or admin; repeat the option for several",
      (scope: string, scopes: readonly string[] | undefined) => [...(scopes ?? []), scope],
    )
    .option(
      "--expires <DATE>",
      "time from which the key is invalid: 2027-01-31 or 2027-01-31T12:00:00Z (default: never)",
    )
    .addHelpText(
      "after",
      "\nPrints the entry to standard output, and the key to standard error. The key is not stored, so it cannot be\n" +
        "shown again.\n\nExample:\n  $ holdfast apikey new backup --scope read --scope wallet >> keys.yaml\n",
    );
  command.action(async (argument: string) => {
    const { scope, expires } = command.opts<NewKeyFlags>();
    const list = await import("../config/kinds/api-key-list.ts");
    const { randomBytes } = await import("node:crypto");
    const { encodeBase58 } = await import("../bytes/base58.ts");
    if (scope === undefined)
      throw new UsageError("--scope is missing: give read, wallet or admin, or several");
    const name = await withUsageErrors(() => list.parseKeyName(argument));
    const scopes = await withUsageErrors(() => list.parseKeyScopes(scope));
    const expiresAt =
      expires === undefined ? undefined : await withUsageErrors(() => list.parseKeyExpiry(expires));
    if (expiresAt !== undefined && expiresAt <= io.clock.now())
      throw new UsageError(`--expires: the time ${expires} is in the past`);
    const key = encodeBase58(randomBytes(KEY_BYTES));
    io.err(`Key of ${name} (shown only once): ${key}\n`);
    io.out(list.formatApiKeyEntry({ name, scopes, hash: await hashOf(key), expiresAt }));
  });
}

function hashCommand(apiKey: Command, io: Io): void {
  apiKey
    .command("hash")
    .description(
      "read a key from a file or standard input and print its hash, for --api-key-hash or the file of --api-keys",
    )
    .argument("[FILE]", "file that contains the key", "-")
    .addHelpText("after", "\nExample:\n  $ holdfast apikey hash < key.txt\n")
    .action(async (file: string) => {
      const key = readInput(file).replace(/\r?\n$/, "");
      if (key === "")
        throw new UsageError("The input is empty: write the key to standard input, or name its file");
      if (key !== key.trim() || /[\r\n]/.test(key))
        throw new UsageError(
          "The key must be one line without leading or trailing blanks: an HTTP header cannot contain anything else",
        );
      if (key.length < MIN_SAFE_LENGTH)
        io.err(
          `Warning: the key has fewer than ${MIN_SAFE_LENGTH} characters, so anyone who has the hash can guess it\n`,
        );
      const { encodeBase58 } = await import("../bytes/base58.ts");
      io.out(`${encodeBase58(await hashOf(key))}\n`);
    });
}

export function apiKeyCommand(program: Command, io: Io): void {
  const apiKey = program.command("apikey").description("create API keys and hash them");
  newCommand(apiKey, io);
  hashCommand(apiKey, io);
}
