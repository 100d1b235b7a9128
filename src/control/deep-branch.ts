/** A better chain, proven by peers' blocks, that branches off deeper than `maxRollback`. */
export interface DeepBranch {
  /** Height of the newest common block. */
  readonly commonHeight: number;
  /** Blocks of ours that a switch would remove. */
  readonly depth: number;
  /** Maximum blocks that the node removes for a better chain (`--sync-max-rollback`). */
  readonly maxRollback: number;
}

export function deepBranchText({ commonHeight, depth, maxRollback }: DeepBranch): string {
  return (
    `Peers have a better chain that branches off at height ${commonHeight}, ${depth} blocks back. This node switches ` +
    `at most ${maxRollback} blocks back (--sync-max-rollback), so it stays on its own chain. Compare both with ` +
    `'holdfast compare'. To follow the peers, stop the node, run 'holdfast rollback ${commonHeight}' and start it again.`
  );
}
