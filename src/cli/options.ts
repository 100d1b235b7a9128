import { existsSync, statSync } from "node:fs";
import { type Command, Option } from "commander";
import type { LoadedSettings } from "../config/load.ts";
import { type Group, groupTitles } from "../config/settings.ts";
import { defaultText, flagText } from "../config/show.ts";
import {
  allSettings,
  byName,
  fileSettingName,
  isSwitch,
  splitKey,
} from "../config/sources/settings-by-name.ts";
import { CommandError, ExitCode } from "./exit-codes.ts";
import type { Io } from "./io.ts";

const attribute = (name: string) => `setting:${name}`;

class SettingOption extends Option {
  private readonly setting: string;
  constructor(flags: string, about: string | undefined, setting: string) {
    super(flags, about);
    this.setting = setting;
  }
  override attributeName(): string {
    return attribute(this.setting);
  }
}

/** Adds `--config` and the flags of groups. Only `--help-all` shows settings that are not basic. */
export function addSettings(command: Command, ...groups: readonly Group[]): Command {
  command.addOption(
    new Option(
      "--config <FILE>",
      "settings file: YAML with `name: value` lines, or a HOCON file of the reference node (.conf)",
    ).helpGroup(`${groupTitles.node}:`),
  );
  const advanced: Option[] = [];
  for (const [key, setting] of allSettings) {
    const [group] = splitKey(key);
    if (!groups.includes(group)) continue;
    const add = (option: Option): void => {
      if (setting.basic !== true && !option.hidden) advanced.push(option.hideHelp());
      command.addOption(option.helpGroup(heading));
    };
    const { name } = setting;
    const heading = `${groupTitles[group]}:`;
    const defaultValue = defaultText(setting);
    const about = defaultValue === undefined ? setting.about : `${setting.about} (default: ${defaultValue})`;
    if (!isSwitch(setting)) {
      const flags = flagText(setting).replace(/ (.*)$/, " <$1>");
      add(new SettingOption(flags, about, name));
      const fileForm = fileSettingName(setting);
      if (fileForm !== undefined)
        add(new SettingOption(`--${fileForm} <PATH>`, `File that contains the value of --${name}`, fileForm));
      continue;
    }
    // Help shows only the flag that changes the default.
    for (const isOn of [true, false]) {
      const option = isOn
        ? new SettingOption(`--${name}`, about, name)
        : new SettingOption(`--no-${name}`, setting.negated, name);
      option.default(undefined);
      add(option.hideHelp(isOn === (setting.negated !== undefined)));
    }
  }
  if (advanced.length === 0) return command;
  advancedOptions.set(command, advanced);
  return command.option("--help-all", "show help with all settings").on("option:help-all", () => {
    showAllSettings(command);
    command.help();
  });
}

const advancedOptions = new WeakMap<Command, readonly Option[]>();

export function showAllSettings(command: Command): void {
  for (const option of advancedOptions.get(command) ?? []) option.hideHelp(false);
}

/**
 * Like `readSettings`, for commands that use the data directory.
 * @throws SettingsError; CommandError if the data directory is a file
 */
export async function settingsOf(
  command: Command,
  io: Io,
  quiet = false,
  extraFlags: ReadonlyMap<string, string> = new Map(),
): Promise<LoadedSettings> {
  const loaded = await readSettings(command, io, quiet, extraFlags);
  const { dataDir } = loaded.settings;
  if (existsSync(dataDir) && !statSync(dataDir).isDirectory())
    throw new CommandError(
      ExitCode.dataDirectory,
      `The data directory ${dataDir} is a file, not a directory`,
    );
  return loaded;
}

/**
 * Prints warnings unless `quiet`.
 * @throws SettingsError
 */
export async function readSettings(
  command: Command,
  io: Io,
  quiet = false,
  extraFlags: ReadonlyMap<string, string> = new Map(),
): Promise<LoadedSettings> {
  const { loadSettings } = await import("../config/load.ts");
  const given = command.opts();
  const flags = new Map<string, string | boolean>(extraFlags);
  for (const name of byName.keys()) {
    const value: unknown = given[attribute(name)];
    if (typeof value === "string" || typeof value === "boolean") flags.set(name, value);
  }
  const loaded = loadSettings({
    flags,
    config: given.config,
    environment: io.environment,
    home: io.home,
  });
  if (!quiet) for (const warning of loaded.settings.warnings) io.err(`Warning: ${warning}\n`);
  return loaded;
}

export const everyGroup = Object.keys(groupTitles) as Group[];
