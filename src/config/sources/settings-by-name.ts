/** The settings by every name they have, and what a source says of one. */
import type { Setting } from "../groups/define-setting.ts";
import { type SettingKey, settingsTable } from "../settings.ts";

/** Strength of a source: lower wins. */
export const Rank = { flag: 0, holdfast: 1, network: 2, chain: 3, plain: 4, file: 5 } as const;
export type Rank = (typeof Rank)[keyof typeof Rank];

/** A value that somebody gave, not looked at yet. */
export interface Given {
  readonly key: SettingKey;
  readonly rank: Rank;
  /** The name that was used: `--api-port`, `LTO_API_KEY`, `api-port in /etc/holdfast.yaml`. */
  readonly where: string;
  readonly value: unknown;
}

/** What one source gives, and what is wrong with it. */
export interface Found {
  readonly given: readonly Given[];
  /** Names that must be refused, with the reason. */
  readonly problems: readonly string[];
  /** Names that have no effect. */
  readonly warnings: readonly string[];
}

/** Prefix of our own variables. */
export const HOLDFAST = "HOLDFAST_";

/** All settings with their names in code. */
export const allSettings = Object.entries(settingsTable) as readonly (readonly [
  SettingKey,
  Setting<unknown>,
])[];

/** What a setting is. */
export function settingOf(key: SettingKey): Setting<unknown> {
  // The compiler does not see that each setting, whatever it holds, is one.
  return settingsTable[key] as Setting<unknown>;
}

function environmentName(name: string): string {
  return name.toUpperCase().replaceAll("-", "_");
}

/** `HOLDFAST_API_PORT` for `api-port`. */
export function holdfastName(setting: Pick<Setting<unknown>, "name">): string {
  return HOLDFAST + environmentName(setting.name);
}

/** Whether a setting is a switch: it takes no value on the command line. */
export function isSwitch(setting: Pick<Setting<unknown>, "kind">): boolean {
  return setting.kind.placeholder === undefined;
}

export const byName = new Map(allSettings.map(([key, setting]) => [setting.name, key]));
export const byReference = new Map(
  allSettings.flatMap(([key, { reference }]) => (reference === undefined ? [] : [[reference, key]])),
);
export const byContainer = new Map(
  allSettings.flatMap(([key, { container }]) => (container === undefined ? [] : [[container, key]])),
);
export const byPlain = new Map(
  allSettings.flatMap(([key, { plain }]) => (plain === undefined ? [] : [[plain, key]])),
);
export const byHoldfast = new Map(allSettings.map(([key, setting]) => [holdfastName(setting), key]));
/** `HOLDFAST_NO_FORGE=yes` for `--no-forge`. */
export const byNegation = new Map(
  allSettings
    .filter(([, setting]) => isSwitch(setting))
    .map(([key, setting]) => [`${HOLDFAST}NO_${environmentName(setting.name)}`, key]),
);
