/** One sorted run of entries. */
export interface RunKey {
  /** Id of the entry index. */
  readonly index: number;
  readonly run: number;
}

export interface RunRow {
  /** How often its entries were merged. */
  readonly level: number;
  readonly count: number;
  /** False while a merge is still writing it: not to be read yet. */
  readonly whole: boolean;
}
