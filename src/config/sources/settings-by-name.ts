import type { Setting } from "../groups/define-setting.ts";
import { SecretFile } from "../kinds/secret.ts";
import { type Group, type SettingKey, type SettingValues, settingsTable } from "../settings.ts";

/** Priority of a source (see sources.ts): the lowest number wins. */
export const Rank = { flag: 0, holdfast: 1, network: 2, chain: 3, plain: 4, file: 5 } as const;
export type Rank = (typeof Rank)[keyof typeof Rank];

/** A value of `HOLDFAST_NO_…`: the setting has the opposite value. */
export class Negated {
  readonly value: string;

  constructor(value: string) {
    this.value = value;
  }
}

export interface GivenSetting {
  readonly key: SettingKey;
  readonly rank: Rank;
  /** Flag, variable or file key: `--api-port`, `LTO_API_KEY`, `api-port in /etc/holdfast.yaml`. */
  readonly where: string;
  /** Value before parsing. */
  readonly value: unknown;
  /** Settings file that contains the value. */
  readonly file?: string | undefined;
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

export function collectSettingValues(
  read: (key: SettingKey, setting: Setting<unknown>) => unknown,
): SettingValues {
  const groups: Record<string, Record<string, unknown>> = {};
  for (const [key, setting] of allSettings) {
    const [group, name] = splitKey(key);
    groups[group] ??= {};
    groups[group][name] = read(key, setting);
  }
  // The setting's kind or default returned each value.
  return groups as unknown as SettingValues;
}

function environmentName(name: string): string {
  return name.toUpperCase().replaceAll("-", "_");
}

export function holdfastName(setting: Pick<Setting<unknown>, "name">): string {
  return HOLDFAST_PREFIX + environmentName(setting.name);
}

export function isSwitch(setting: Pick<Setting<unknown>, "kind">): boolean {
  return setting.kind.placeholder === undefined;
}

/** `isFile`: the name is for a file with the secret. */
interface SettingName {
  readonly key: SettingKey;
  readonly isFile: boolean;
}

/** For example `api-key-file`; undefined if the setting is not secret. */
export function fileSettingName(setting: Pick<Setting<unknown>, "name" | "kind">): string | undefined {
  return setting.kind.secret ? setting.name + FILE_SUFFIX : undefined;
}

const FILE_SUFFIX = "-file";
const FILE_VARIABLE_SUFFIX = "_FILE";

function namesBy(
  fileSuffix: string,
  nameOf: (setting: Setting<unknown>) => string | undefined,
): ReadonlyMap<string, SettingName> {
  return new Map(
    allSettings.flatMap(([key, setting]): [string, SettingName][] => {
      const name = nameOf(setting);
      if (name === undefined) return [];
      const names: [string, SettingName][] = [[name, { key, isFile: false }]];
      return setting.kind.secret ? [...names, [name + fileSuffix, { key, isFile: true }]] : names;
    }),
  );
}

export function keyAndValue(
  { key, isFile }: SettingName,
  value: unknown,
): Pick<GivenSetting, "key" | "value"> {
  return { key, value: isFile ? new SecretFile(value) : value };
}

export const byName = namesBy(FILE_SUFFIX, ({ name }) => name);
export const byReference = namesBy(FILE_SUFFIX, ({ reference }) => reference);
export const byContainer = namesBy(FILE_VARIABLE_SUFFIX, ({ container }) => container);
export const byPlain = namesBy(FILE_VARIABLE_SUFFIX, ({ plain }) => plain);
export const byHoldfast = namesBy(FILE_VARIABLE_SUFFIX, holdfastName);
/** `HOLDFAST_NO_FORGE=yes` means `--no-forge`. */
export const byNegation = namesBy(FILE_VARIABLE_SUFFIX, (setting) =>
  isSwitch(setting) ? `${HOLDFAST_PREFIX}NO_${environmentName(setting.name)}` : undefined,
);
