/** Finds settings by each of their names. */
import type { Setting } from "../groups/define-setting.ts";
import { type Group, type SettingKey, type SettingValues, settingsTable } from "../settings.ts";

/** Priority of the sources: the lowest number wins. */
export const Rank = { flag: 0, holdfast: 1, network: 2, chain: 3, plain: 4, file: 5 } as const;
export type Rank = (typeof Rank)[keyof typeof Rank];

/** A value of a source, before it is parsed. */
export interface GivenSetting {
  readonly key: SettingKey;
  readonly rank: Rank;
  /** The name that was used: `--api-port`, `LTO_API_KEY`, `api-port in /etc/holdfast.yaml`. */
  readonly where: string;
  readonly value: unknown;
}

export interface SourceResult {
  readonly given: readonly GivenSetting[];
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

export const HOLDFAST_PREFIX = "HOLDFAST_";

export const allSettings = Object.entries(settingsTable).flatMap(([group, settings]) =>
  // `Object.entries` loses the types of settings and keys.
  Object.entries(settings as Readonly<Record<string, Setting<unknown>>>).map(
    ([name, setting]) => [`${group}.${name}` as SettingKey, setting] as const,
  ),
);

const byKey = new Map(allSettings);

export function settingOf(key: SettingKey): Setting<unknown> {
  const setting = byKey.get(key);
  if (setting === undefined) throw new Error(`Unknown setting ${key}`);
  return setting;
}

export function splitKey(key: SettingKey): readonly [group: Group, name: string] {
  return key.split(".") as [Group, string];
}

export function groupValues(read: (key: SettingKey, setting: Setting<unknown>) => unknown): SettingValues {
  const groups: Record<string, Record<string, unknown>> = {};
  for (const [key, setting] of allSettings) {
    const [group, name] = splitKey(key);
    groups[group] ??= {};
    groups[group][name] = read(key, setting);
  }
  // Each value comes from its kind or default.
  return groups as unknown as SettingValues;
}

function environmentName(name: string): string {
  return name.toUpperCase().replaceAll("-", "_");
}

export function holdfastName(setting: Pick<Setting<unknown>, "name">): string {
  return HOLDFAST_PREFIX + environmentName(setting.name);
}

/** Returns true if the flag of a setting has no value. */
export function isSwitch(setting: Pick<Setting<unknown>, "kind">): boolean {
  return setting.kind.placeholder === undefined;
}

function keysBy(nameOf: (setting: Setting<unknown>) => string | undefined): ReadonlyMap<string, SettingKey> {
  return new Map(
    allSettings.flatMap(([key, setting]): [string, SettingKey][] => {
      const name = nameOf(setting);
      return name === undefined ? [] : [[name, key]];
    }),
  );
}

export const byName = keysBy(({ name }) => name);
export const byReference = keysBy(({ reference }) => reference);
export const byContainer = keysBy(({ container }) => container);
export const byPlain = keysBy(({ plain }) => plain);
export const byHoldfast = keysBy(holdfastName);
/** Switches by their negated variable: `HOLDFAST_NO_FORGE=yes` means `--no-forge`. */
export const byNegation = keysBy((setting) =>
  isSwitch(setting) ? `${HOLDFAST_PREFIX}NO_${environmentName(setting.name)}` : undefined,
);
