/** The rules at a height. Page 03 §6, page 05 §1, §12, §13. */
import { DEFAULT_FEE_PRICE, feePriceHeight } from "../consensus/votes.ts";
import { Feature } from "../profiles/features.ts";
import type { Functionality } from "../profiles/profile.ts";
import type { LedgerView } from "./state.ts";

export interface LedgerRules {
  /** Unsigned byte. */
  readonly chainId: number;
  readonly functionality: Functionality;
  /** Page 05 §8.4. */
  readonly maxTransactionsInMicroBlock: number;
}

/** Page 05 §12.1 to §12.5. */
export type FeeSchedule = 1 | 2 | 3 | 4 | 5;

/** Each boolean is true if the feature with its name is active at `height`. */
export interface Era {
  readonly height: number;
  readonly rules: LedgerRules;
  readonly association: boolean;
  readonly burnFeature: boolean;
  /** True if BurnFeeture was active at `height - 1`. The opener part depends on this (page 05 §9.2). */
  readonly burnFeatureBefore: boolean;
  readonly cobalt: boolean;
  readonly cobaltAlloy: boolean;
  readonly juicy: boolean;
  readonly titanium: boolean;
  readonly palladium: boolean;
  readonly feeSchedule: FeeSchedule;
  /** Units per fee point, for schedule 5. */
  readonly feePrice: bigint;
  isActive(feature: number): boolean;
}

/** Height from which a feature is active by settings or votes; undefined if not approved. */
export function activationHeight(view: LedgerView, rules: LedgerRules, feature: number): number | undefined {
  return rules.functionality.preActivatedFeatures.get(feature) ?? view.features().get(feature)?.activated;
}

export function isFeatureActive(
  view: LedgerView,
  rules: LedgerRules,
  feature: number,
  height: number,
): boolean {
  const activated = activationHeight(view, rules, feature);
  return activated !== undefined && activated <= height;
}

/** In units per fee point. Page 05 §13. */
export function feePriceAt(view: LedgerView, rules: LedgerRules, height: number): bigint {
  return view.feePriceOfPeriod(feePriceHeight(rules.functionality, height)) ?? DEFAULT_FEE_PRICE;
}

export function eraAt(view: LedgerView, rules: LedgerRules, height: number): Era {
  const voted = view.features();
  const isActiveAt = (feature: number, at: number): boolean => {
    const activated = rules.functionality.preActivatedFeatures.get(feature) ?? voted.get(feature)?.activated;
    return activated !== undefined && activated <= at;
  };
  const isActive = (feature: number): boolean => isActiveAt(feature, height);
  const smartAccounts = isActive(Feature.SmartAccounts);
  const burnFeature = isActive(Feature.BurnFeeture);
  const cobalt = isActive(Feature.Cobalt);
  const juicy = isActive(Feature.Juicy);
  return {
    height,
    rules,
    association: isActive(Feature.Association),
    burnFeature,
    burnFeatureBefore: isActiveAt(Feature.BurnFeeture, height - 1),
    cobalt,
    cobaltAlloy: isActive(Feature.CobaltAlloy),
    juicy,
    titanium: isActive(Feature.Titanium),
    palladium: isActive(Feature.Palladium),
    feeSchedule: juicy ? 5 : cobalt ? 4 : burnFeature ? 3 : smartAccounts ? 2 : 1,
    feePrice: feePriceAt(view, rules, height),
    isActive,
  };
}
