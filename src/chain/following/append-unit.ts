import { bytesEqual } from "../../bytes/compare.ts";
import { failed, ok, type Result } from "../../errors/result.ts";
import { PERSIST_SEQUENCE } from "../../storage/batch/write-batch.ts";
import type { BlockGroup } from "../deciding/block-group.ts";
import type { AppendResult } from "../deciding/block-refusal.ts";
import type { BlockChecks } from "../writing/open-change.ts";
import type { UnitContent } from "./unit-content.ts";

export interface FollowedUnit {
  readonly content: UnitContent;
  /** Arrival of a micro block by the local clock, ms. */
  readonly arrivedAt: number;
  /** Undefined if unknown or not to be compared. */
  readonly digest?: Uint8Array | undefined;
}

/** `refused`: the unit is invalid, or already on the chain; `digest`: its rows differ from the source's. */
export interface UnitFault {
  readonly kind: "refused" | "digest";
  readonly reason: string;
}

/**
 * Appends a unit. If a block fails on a liquid parent, persists the parent and tries again. After a fault, the caller
 * must abandon the group.
 */
export function appendUnit(
  group: BlockGroup,
  unit: FollowedUnit,
  checks: BlockChecks,
): Result<void, UnitFault> {
  const isLiquid = group.tip.liquid;
  const result = appendOnce(group, unit, checks);
  if (result.ok || unit.content.kind !== "block" || !isLiquid) return result;
  group.persist();
  const retried = appendOnce(group, unit, checks);
  return retried.ok ? retried : result;
}

function appendOnce(
  group: BlockGroup,
  { content, arrivedAt, digest }: FollowedUnit,
  checks: BlockChecks,
): Result<void, UnitFault> {
  const before = group.position;
  const result = append(group, content, arrivedAt, checks);
  if (!result.ok) return failed({ kind: "refused", reason: result.error.printed });
  if (result.value !== "appended") return failed({ kind: "refused", reason: "it is already on the chain" });
  if (digest === undefined) return ok(undefined);
  const found = group.digest(group.position);
  if (found !== undefined && bytesEqual(found, digest)) return ok(undefined);
  group.undoTo(before);
  return failed({ kind: "digest", reason: "the rows that it wrote differ from those of the source" });
}

function append(
  group: BlockGroup,
  content: UnitContent,
  arrivedAt: number,
  checks: BlockChecks,
): AppendResult {
  if (content.kind === "block") return group.append(content.block, checks);
  if (content.kind === "micro") return group.appendMicroBlock(content.micro, arrivedAt, checks);
  group.persist();
  return ok(group.position.sequence === PERSIST_SEQUENCE ? "appended" : "ignored");
}
