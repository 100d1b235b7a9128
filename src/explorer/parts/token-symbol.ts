import { signal } from "@preact/signals";

/** Unit of whole tokens, such as `LTO`; undefined until the node has named it. */
export const tokenSymbol = signal<string | undefined>(undefined);
