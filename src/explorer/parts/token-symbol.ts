import { signal } from "@preact/signals";

/** Unit of whole tokens, such as `LTO`; undefined until it is known. */
export const tokenSymbol = signal<string | undefined>(undefined);
