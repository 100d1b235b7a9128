/**
 * Shared setup of `soak-attack.ts` and its attackers: accounts, expensive scripts, and the kinds of attack with the
 * chain and the settings that each needs.
 */
import { addressOf } from "../src/crypto/addresses.ts";
import { secureHash } from "../src/crypto/hashes.ts";
import type { KeyPair } from "../src/crypto/signatures.ts";
import { writeExpression } from "../src/script/serialization.ts";
import { walletKeys } from "../test/support/sign-request.ts";
import { COSTLY_SCRIPTS } from "./costly-scripts.ts";

/** The chain id of the network `dev`. */
export const CHAIN_ID = "Z".charCodeAt(0);
export const LTO = 100_000_000;

/** Number of accounts with an expensive script: the worst known scripts in rotation. */
export const SCRIPTED = 24;

/** Keys of one of these accounts. */
export function scriptedKeys(number: number): KeyPair {
  return walletKeys("scripted", number);
}

/** Its script, as requests contain it. */
export function costlyScript(number: number): string {
  const [, expression] = COSTLY_SCRIPTS[number % COSTLY_SCRIPTS.length] as (typeof COSTLY_SCRIPTS)[number];
  const content = Buffer.concat([Uint8Array.of(1), writeExpression(expression)]);
  return `base64:${Buffer.concat([content, secureHash(content).subarray(0, 4)]).toString("base64")}`;
}

/** 10 KiB of data, close to the maximum of one transaction; unique per serial number. */
export function longData(serial: number): Record<string, unknown> {
  const data = Array.from({ length: 20 }, (_, i) => ({
    key: `${serial}-${i}`,
    type: "string",
    value: `${serial} `.repeat(200).slice(0, 480),
  }));
  return { type: 12, data, fee: 10 * LTO };
}

export const addressOfKeys = ({ publicKey }: KeyPair): Uint8Array => addressOf(publicKey, CHAIN_ID);

/** An account with many associations; `root` has an association to it. */
export const associatedKeys = (): KeyPair => walletKeys("associated");
/** An account with many sponsors that cannot pay. */
export const sponsoredKeys = (): KeyPair => walletKeys("sponsored");
/** An account with a real stake: a hundredth of that of `root`. */
export const smallStakeKeys = (): KeyPair => walletKeys("small stake");
export const SMALL_STAKE_LTO = 10_000;

/** The node's API key, which the attackers guess. */
export const API_KEY = "the key that nobody guesses";

/** The chains that attacks need: see `attack-chains.ts`. */
export type ChainName = "forks" | "associations" | "sponsors";

/** A kind of attack. */
export interface Kind {
  /** The chain that the node starts with; none by default. */
  readonly chain?: ChainName;
  /** Settings of the node. */
  readonly settings?: readonly string[];
  /** File handles that the node may have. */
  readonly handles?: number;
  /** Whether the attackers are peers. If so, the node listens on its P2P port. */
  readonly peers?: boolean;
  /** Returns what is wrong according to the attackers' counts; undefined if nothing is. */
  readonly fault?: (counts: Readonly<Record<string, number>>) => string | undefined;
}

/** Checks that a claimed score delays nothing. */
function stoppedAnchoring(counts: Readonly<Record<string, number>>): string | undefined {
  const { "hashes older than 20 s": old = 0, "of these anchored": anchored = 0 } = counts;
  return anchored < old * 0.9 ? `${anchored} of ${old} hashes anchored` : undefined;
}

/** Checks that a new peer finds a slot although attackers occupy all of them. */
function keptOut(counts: Readonly<Record<string, number>>): string | undefined {
  const { "newcomers turned away": away = 0, "newcomers with a place": placed = 0 } = counts;
  return away > placed ? `${away} of ${away + placed} newcomers turned away` : undefined;
}

/** The kinds that flood the node with requests, all at once. */
export const FLOODS = ["scripts", "signatures", "reads", "connections"] as const;

/** The other kinds, each against its own node. */
export const KINDS: Readonly<Record<string, Kind>> = {
  "phantom-fork": { chain: "forks", peers: true },
  "small-stake-fork": { chain: "forks", peers: true },
  "unsigned-revocation": { chain: "associations" },
  cascade: { chain: "associations" },
  "half-sent-requests": { handles: 1_024, peers: true },
  "banned-connections": { peers: true },
  "claimed-scores": { peers: true, settings: ["--anchor-batch", "batch"], fault: stoppedAnchoring },
  "penniless-sponsors": { chain: "sponsors" },
  "key-guessing": { settings: ["--api-key", API_KEY] },
  "inbound-places": { peers: true, fault: keptOut },
  "badly-signed-blocks": { peers: true },
  "signature-questions": { peers: true },
  "micro-announcements": { peers: true },
};
