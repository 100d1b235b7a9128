/** From which feature on a version of a transaction type is accepted. Page 05 §10.4. */
import { Feature } from "../profiles/features.ts";
import { className, type Transaction } from "../transactions/index.ts";
import type { Era } from "./era.ts";
import { type Refusal, refuse } from "./refusal.ts";

/** No feature is needed. */
const ALWAYS = 0;

type Versions = { readonly [version: number]: number };

const versionsByType: { readonly [T in Transaction["type"]]: Versions } = {
  1: { 1: ALWAYS },
  2: { 1: ALWAYS },
  4: { 1: ALWAYS, 2: Feature.SmartAccounts, 3: Feature.Cobalt },
  8: { 1: ALWAYS, 2: Feature.SmartAccounts, 3: Feature.Cobalt },
  9: { 1: ALWAYS, 2: Feature.SmartAccounts, 3: Feature.Cobalt },
  11: { 1: ALWAYS, 3: Feature.Cobalt },
  12: { 1: ALWAYS, 3: Feature.CobaltAlloy },
  13: { 1: ALWAYS, 3: Feature.Cobalt },
  15: { 1: ALWAYS, 3: Feature.Cobalt },
  16: { 1: Feature.Association, 3: Feature.Cobalt, 4: Feature.Titanium },
  17: { 1: Feature.Association, 3: Feature.Cobalt, 4: Feature.Titanium },
  18: { 1: Feature.Sponsorship, 3: Feature.Cobalt },
  19: { 1: Feature.Sponsorship, 3: Feature.Cobalt },
  20: { 3: Feature.CobaltAlloy },
  21: { 3: Feature.Juicy },
  22: { 3: Feature.Titanium },
  23: { 3: Feature.Titanium },
  24: { 3: Feature.Palladium },
};

/** Refuses a transaction whose version is not, or no longer, active in the era. */
export function checkActivation(transaction: Transaction, era: Era): Refusal | undefined {
  const { type, version } = transaction;
  const feature = versionsByType[type][version];
  if (feature === undefined) {
    return refuse("ActivationError", `${describe(transaction)} must be explicitly activated`);
  }
  // The one version that a feature switches off.
  if (type === 12 && version === 1 && era.smartAccounts) {
    return refuse("NotActivated", `${describe(transaction)} has been deactivated`);
  }
  if (feature === ALWAYS || era.isActive(feature)) return undefined;
  return refuse("NotActivated", `${describe(transaction)} has not been activated yet`);
}

function describe({ type, version }: Transaction): string {
  return `Version ${version} of ${className(type)} (tx type ${type})`;
}
