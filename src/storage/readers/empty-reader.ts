import { Overlay } from "../batch/overlay.ts";
import type { Reader } from "../kv.ts";

/** A reader without rows. */
export const emptyReader: Reader = new Overlay();
