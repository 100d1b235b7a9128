import { randomBytes } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { encodeBase58 } from "../../bytes/base58.ts";
import { encodeUtf8 } from "../../bytes/utf8.ts";
import { addressOf } from "../../crypto/addresses.ts";
import { keyPairFromSeed } from "../../crypto/seeds.ts";
import { failure, UsageError } from "../exit-codes.ts";
import { readInput } from "../input.ts";
import type { Founder } from "./genesis-plan.ts";

const SEED_BYTES = 32;

export interface SeedLine {
  readonly seed: string;
  /** In units. */
  readonly amount: bigint;
}

/**
 * Reads lines of `UNITS SEED`.
 * @throws CommandError, UsageError
 */
export function readSeeds(path: string): SeedLine[] {
  const lines = readInput(path).split(/\r?\n/);
  return lines.flatMap((line, i) => {
    if (line.trim() === "") return [];
    const match = /^(\d{1,19}) (.*\S.*)$/.exec(line);
    // Do not quote the line: it contains a seed.
    if (match === null) throw new UsageError(`${path}, line ${i + 1}: expected units, a blank and a seed`);
    return [{ seed: match[2], amount: BigInt(match[1]) }];
  });
}

export function newSeeds(count: number, balance: bigint): SeedLine[] {
  return Array.from({ length: count }, () => ({
    seed: encodeBase58(new Uint8Array(randomBytes(SEED_BYTES))),
    amount: balance,
  }));
}

export function foundersOf(lines: readonly SeedLine[], chainId: number): Founder[] {
  return lines.map(({ seed, amount }) => {
    const { publicKey } = keyPairFromSeed(encodeUtf8(seed));
    return { address: addressOf(publicKey, chainId), publicKey, amount };
  });
}

export function seedFileText(lines: readonly SeedLine[]): string {
  return lines.map(({ seed, amount }) => `${amount} ${seed}\n`).join("");
}

export interface NewFile {
  readonly path: string;
  readonly text: string;
  readonly mode: number;
}

/** Creates all files or none. */
export function writeAllNew(files: readonly NewFile[]): void {
  const written: string[] = [];
  try {
    for (const { path, text, mode } of files) {
      writeNewFile(path, text, mode);
      written.push(path);
    }
  } catch (error) {
    for (const path of written) rmSync(path, { force: true });
    throw error;
  }
}

/** @throws CommandError if the file exists or cannot be written */
export function writeNewFile(path: string, text: string, mode: number): void {
  try {
    writeFileSync(path, text, { flag: "wx", mode });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw failure(
      code === "EEXIST" ? `${path} already exists: choose another name` : `Cannot write ${path}: ${message}`,
    );
  }
}
