/** Page 03 §6.1. */

export const Feature = {
  MinimalGeneratingBalance: 1,
  SmartAccounts: 4,
  Association: 10,
  Sponsorship: 11,
  BurnFeeture: 12,
  Cobalt: 13,
  CobaltAlloy: 14,
  Juicy: 15,
  Titanium: 16,
  Palladium: 17,
} as const;

/** 2, 3, 5 and 8 are historic: their behaviour is always active. */
export const implementedFeatures: ReadonlySet<number> = new Set([
  1, 2, 3, 4, 5, 8, 10, 11, 12, 13, 14, 15, 16, 17,
]);

/** Features that the activation status omits. */
export const hiddenFeatures: ReadonlySet<number> = new Set([1, 2, 3, 5, 8]);

const DESCRIPTIONS: ReadonlyMap<number, string> = new Map([
  [Feature.SmartAccounts, "Smart Accounts"],
  [Feature.Association, "Association Transaction"],
  [Feature.Sponsorship, "Sponsorship Transaction"],
  [Feature.BurnFeeture, "Partial Fee Burn"],
  [Feature.Cobalt, "Cobalt"],
  [Feature.CobaltAlloy, "Cobalt Alloy"],
  [Feature.Juicy, "Juicy (Tokenomics)"],
  [Feature.Titanium, "Titanium"],
  [Feature.Palladium, "Palladium"],
]);

/** Default: "Unknown feature". */
export function featureDescription(id: number): string {
  return DESCRIPTIONS.get(id) ?? "Unknown feature";
}
