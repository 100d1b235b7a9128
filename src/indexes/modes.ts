/** Which transactions are indexed: none, those of accounts with a role (`trust`), or all. Page 07 §4.2. */
export type IndexMode = "none" | "trust" | "all";

export type ActiveIndexMode = Exclude<IndexMode, "none">;
