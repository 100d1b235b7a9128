import Type from "typebox";
import { encodeBase58 } from "../../../bytes/base58.ts";
import { deepBranchText } from "../../../control/deep-branch.ts";
import type { FollowingHealth, NodeHealth } from "../../../control/index.ts";
import type { ChainSnapshot } from "../../../interfaces.ts";
import { implementedFeatures } from "../../../profiles/index.ts";
import { object } from "../../schemas/common.ts";
import { lastHeader } from "../blocks/blocks.ts";

/** Blocks that may be missing without a report: nodes are usually one block behind. */
const MAX_UNREPORTED_LAG = 2;
/** A block is late after this many mean block times. */
const LATE_DELAY_FACTOR = 16;
/** Maximum lead of the newest block over the clock, ms; as in forging. */
const CLOCK_TOLERANCE_MS = 2_000;

/** Most severe first. */
const REASON_CODES = [
  "stopping",
  /** The main thread does not answer. */
  "unresponsive",
  "disk",
  "clock",
  /** A follower lacks its source's newest block. */
  "lag",
  /** The better chain branches off too far below the tip. */
  "branch",
  /** Signatures are unchecked, because of `--assume-valid`. */
  "provisional",
  /** This version does not support an approved feature. */
  "feature",
  /** No peer is connected. */
  "alone",
  /** The newest block is old. */
  "late",
  /** Anchors cannot be broadcast. */
  "anchors",
  /** Peers have a longer chain. */
  "behind",
  /** An index is being built. */
  "index",
] as const;

/** Codes of states that end on their own. */
const TRANSIENT_CODES: readonly Reason["code"][] = ["lag", "provisional", "behind", "index"];
/** Codes of states that do not affect answers. */
const HARMLESS_CODES: readonly Reason["code"][] = ["feature", "anchors"];

export interface Reason {
  readonly code: (typeof REASON_CODES)[number];
  readonly message: string;
  /** False if the node can serve clients. */
  readonly isBlocking: boolean;
}

export function reason(code: Reason["code"], message: string): Reason {
  return { code, message, isBlocking: !HARMLESS_CODES.includes(code) };
}

export function isTransient({ code }: Reason): boolean {
  return TRANSIENT_CODES.includes(code);
}

export const STOPPING: Reason = reason("stopping", "The node is stopping.");

export const Reasons = Type.Array(
  object({
    code: Type.Enum([...REASON_CODES]),
    message: Type.String({ description: "Explanation for operators." }),
  }),
  { description: "Most severe first." },
);

/** For example `75 minutes`, `30 hours`, `12 days`. */
function ageText(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 180) return `${minutes} minutes`;
  const hours = Math.floor(minutes / 60);
  return hours < 72 ? `${hours} hours` : `${Math.floor(hours / 24)} days`;
}

function diskReason({ hasDiskFault, diskSpace }: NodeHealth): Reason | undefined {
  if (hasDiskFault) return reason("disk", "Disk write failed: check the disk and its free space.");
  if (diskSpace.state !== "paused") return undefined;
  return reason(
    "disk",
    "The disk is almost full: the node does not forge, and accepts no transactions or blocks. Free space on the disk.",
  );
}

function clockReason(errorMs: number | undefined, blockLeadMs: number): Reason | undefined {
  const advice = "Correct the machine's clock.";
  if (errorMs !== undefined)
    return reason(
      "clock",
      `The clock is ${Math.round(Math.abs(errorMs) / 1_000)} s ${errorMs > 0 ? "behind" : "ahead of"} the time server. ${advice}`,
    );
  if (blockLeadMs <= CLOCK_TOLERANCE_MS) return undefined;
  return reason(
    "clock",
    `The clock is ${Math.ceil(blockLeadMs / 1_000)} s behind the newest block. ${advice}`,
  );
}

function lagReason(following: FollowingHealth | undefined): Reason | undefined {
  if (following === undefined) return undefined;
  const { lagMs, lagUnits, maxLagMs, problem } = following;
  if (lagMs !== undefined && lagMs <= maxLagMs) return undefined;
  const since =
    lagMs === undefined
      ? "The node has not had its source's newest block yet"
      : `The node has not had its source's newest block for ${Math.floor(lagMs / 1_000)} s`;
  const units = lagUnits === undefined || lagUnits === 0 ? "" : ` It lacks at least ${lagUnits} units.`;
  const cause = problem === undefined ? "" : ` ${problem}.`;
  return reason("lag", `${since}.${units}${cause}`);
}

function provisionalReason(chain: ChainSnapshot): Reason | undefined {
  const unchecked = chain.blocks.unchecked();
  if (unchecked?.expectedId === undefined) return undefined;
  return reason(
    "provisional",
    `The signatures of transactions in blocks ${unchecked.from} to ${unchecked.to} were not checked, and the chain does ` +
      `not contain the block of --assume-valid yet (${encodeBase58(unchecked.expectedId)}): do not rely on balances. ` +
      "To check the blocks now, start the node without --assume-valid.",
  );
}

function featureReason(chain: ChainSnapshot): Reason | undefined {
  const unknown = chain.network.approvedFeatures().filter((id) => !implementedFeatures.has(id));
  if (unknown.length === 0) return undefined;
  return reason(
    "feature",
    `The network has approved features that this version does not support (${unknown.join(", ")}): update the node.`,
  );
}

function lateReason(height: number, ageMs: number, knowsPeers: boolean): Reason {
  if (height > 1) return reason("late", `The newest block is ${ageText(ageMs)} old.`);
  // Without known peers, a node is ready before the first block.
  const text = "No block has been forged since the genesis block.";
  return { ...reason("late", text), isBlocking: knowsPeers };
}

function indexReason(chain: ChainSnapshot, height: number): Reason | undefined {
  const index = chain.indexes.progress().find(({ isEnabled, state }) => isEnabled && state !== "ready");
  if (index === undefined) return undefined;
  return reason("index", `The index ${index.name} is being built: block ${index.height} of ${height}.`);
}

/** @param now ms since 1970 */
export function reasonsOf(
  chain: ChainSnapshot,
  health: NodeHealth,
  { now, delaySeconds }: { readonly now: number; readonly delaySeconds: number },
): Reason[] {
  const { sync, anchors, knowsPeers, clockErrorMs } = health;
  const height = chain.height();
  const age = now - Number(lastHeader(chain).timestamp);
  const missingBlocks = (sync?.targetHeight ?? 0) - height;
  const isBehind = missingBlocks > MAX_UNREPORTED_LAG;
  const isLate = !isBehind && age > LATE_DELAY_FACTOR * delaySeconds * 1_000;
  // While the node catches up, unsent anchors are normal.
  const anchorProblem = sync?.targetHeight === undefined ? anchors?.problem : undefined;
  const reasons = [
    health.isStopping ? STOPPING : undefined,
    diskReason(health),
    clockReason(clockErrorMs, -age),
    lagReason(health.following),
    sync?.deepBranch === undefined ? undefined : reason("branch", deepBranchText(sync.deepBranch)),
    provisionalReason(chain),
    featureReason(chain),
    knowsPeers && (sync?.peers ?? 0) === 0 ? reason("alone", "No peer is connected.") : undefined,
    isLate ? lateReason(height, age, knowsPeers) : undefined,
    anchorProblem === undefined
      ? undefined
      : reason("anchors", `${anchors?.waiting} pending anchors cannot be broadcast: ${anchorProblem.text}.`),
    isBehind
      ? reason("behind", `Peers have a better chain, about ${missingBlocks} blocks longer.`)
      : undefined,
    indexReason(chain, height),
  ];
  return reasons.filter((one) => one !== undefined);
}
