/** Whose transactions an index takes: nobody's, those of accounts with a role, or all. Page 07 §4.2. */
export type IndexMode = "none" | "trust" | "all";

/** The same of an index that takes any. */
export type ActiveIndexMode = Exclude<IndexMode, "none">;
