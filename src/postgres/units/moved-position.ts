import type { ChainCursor, FollowedPosition } from "../../interfaces.ts";
import { MAX_PERSIST_UNITS } from "../../queries/units.ts";
import { PERSIST_SEQUENCE } from "../../storage/batch/write-batch.ts";
import { PERSIST_BLOCKS } from "../mirror/stored-position.ts";

/** Returns a follower's position. @param to the record that the follower read, or the unit to which it undid */
export function movedPosition(before: FollowedPosition, to: ChainCursor): FollowedPosition {
  const { height, sequence, id } = to;
  const { from: known, heights } = before.persists ?? { from: before.height, heights: [] };
  const all = before.sequence === PERSIST_SEQUENCE ? [...heights, before.height] : heights;
  const below = all.filter((one) => one < height);
  const newest = below.slice(-MAX_PERSIST_UNITS);
  const from = below.length > newest.length ? newest[0] : Math.min(known, height);
  return {
    height,
    sequence,
    id,
    persists: { from: Math.max(from, height - PERSIST_BLOCKS), heights: newest },
  };
}
