import { endsFeatureWindow } from "../../consensus/votes.ts";
import type { Log } from "../../interfaces.ts";
import { isFeatureActive, type LedgerRules } from "../../ledger/era.ts";
import { persistBlock } from "../../ledger/persist.ts";
import type { LedgerView } from "../../ledger/state.ts";
import { implementedFeatures } from "../../profiles/features.ts";
import { Overlay } from "../../storage/batch/overlay.ts";
import type { Reader } from "../../storage/kv.ts";
import { StoredLedger } from "../../storage/ledger/ledger-state.ts";

export interface UnsupportedFeatures {
  readonly ids: readonly number[];
  readonly height: number;
}

interface FeatureWatchDependencies {
  readonly rules: LedgerRules;
  readonly log: Log;
  readonly stopOnUnsupportedFeature: boolean;
  readonly onUnsupportedFeature: ((found: UnsupportedFeatures) => void) | undefined;
}

/** Returns active features that this version does not support, ascending. Page 03 §6.4. */
export function unsupportedFeatures(ledger: LedgerView, rules: LedgerRules, height: number): number[] {
  const ids = new Set([...rules.functionality.preActivatedFeatures.keys(), ...ledger.features().keys()]);
  return [...ids]
    .filter((id) => !implementedFeatures.has(id) && isFeatureActive(ledger, rules, id, height))
    .sort((a, b) => a - b);
}

/** Checks for unknown features at the end of a voting window. */
export class FeatureWatch {
  readonly #dependencies: FeatureWatchDependencies;

  constructor(dependencies: FeatureWatchDependencies) {
    this.#dependencies = dependencies;
  }

  check(reader: Reader, height: number): void {
    const { rules, log, stopOnUnsupportedFeature, onUnsupportedFeature } = this.#dependencies;
    if (height === 0 || !endsFeatureWindow(rules.functionality, height)) return;
    const ledger = new StoredLedger(new Overlay(reader));
    // Approvals count as if the liquid block were persisted.
    if (ledger.persistedHeight < height) persistBlock(ledger, rules);
    for (const [id, state] of ledger.features())
      if (state.approved === height && !implementedFeatures.has(id))
        log.warn("An unknown feature was approved: update the node before it activates", { id, height });
    const ids = unsupportedFeatures(ledger, rules, height);
    if (ids.length === 0) return;
    log.error("An unknown feature is active: update the node", { ids, height });
    if (stopOnUnsupportedFeature) onUnsupportedFeature?.({ ids, height });
    else log.error("The node continues and will end up on a fork", { height });
  }
}
