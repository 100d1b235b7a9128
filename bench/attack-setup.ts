/** What the attack of `soak-attack.ts` and its attackers have in common: accounts, and scripts that cost much. */
import { secureHash } from "../src/crypto/hashes.ts";
import type { KeyPair } from "../src/crypto/signatures.ts";
import { writeExpression } from "../src/script/serialization.ts";
import { walletKeys } from "../test/support/sign-request.ts";
import { COSTLY_SCRIPTS } from "./costly-scripts.ts";

/** Of the network `dev`. */
export const CHAIN_ID = "Z".charCodeAt(0);
export const LTO = 100_000_000;

/** How many accounts have a costly script: the worst known ones by turns. */
export const SCRIPTED = 24;

/** Keys of one of them. */
export function scriptedKeys(number: number): KeyPair {
  return walletKeys("scripted", number);
}

/** Its script, as requests have it. */
export function costlyScript(number: number): string {
  const [, expression] = COSTLY_SCRIPTS[number % COSTLY_SCRIPTS.length] as (typeof COSTLY_SCRIPTS)[number];
  const content = Buffer.concat([Uint8Array.of(1), writeExpression(expression)]);
  return `base64:${Buffer.concat([content, secureHash(content).subarray(0, 4)]).toString("base64")}`;
}

/** 10 KiB of data, most of what one transaction can hold, another each time. */
export function longData(serial: number): Record<string, unknown> {
  const data = Array.from({ length: 20 }, (_, i) => ({
    key: `${serial}-${i}`,
    type: "string",
    value: `${serial} `.repeat(200).slice(0, 480),
  }));
  return { type: 12, data, fee: 10 * LTO };
}
