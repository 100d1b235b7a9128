import { bytesEqual } from "../bytes/compare.ts";
import type { ChainCursor } from "../interfaces.ts";

export function isSameUnit(a: ChainCursor, b: ChainCursor): boolean {
  return a.height === b.height && a.sequence === b.sequence && bytesEqual(a.id, b.id);
}
