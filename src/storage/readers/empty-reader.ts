import { Overlay } from "../batch/overlay.ts";
import type { Reader } from "../kv.ts";

export const emptyReader: Reader = new Overlay();
