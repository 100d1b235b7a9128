import { Overlay } from "../batch/overlay.ts";
import type { Reader } from "../kv.ts";

/** A reader without any row. */
export const emptyReader: Reader = new Overlay();
