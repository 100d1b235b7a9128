/** Whose transactions are indexed: no account's, those of role holders, or all. Page 07 §4.2. */
export type IndexMode = "none" | "trust" | "all";

export type ActiveIndexMode = Exclude<IndexMode, "none">;
