import type { Setting } from "./groups/define-setting.ts";
import type { LoadedSettings } from "./load.ts";
import { type Group, groupTitles } from "./settings.ts";
import {
  allSettings,
  fileSettingName,
  holdfastName,
  isSwitch,
  splitKey,
} from "./sources/settings-by-name.ts";

function yamlValue(value: unknown): string {
  const isPlain = typeof value === "string" && /^[A-Za-z/~][\w./~ -]*$/.test(value) && !/ $/.test(value);
  return isPlain && !RESERVED.has(value.toLowerCase()) ? value : JSON.stringify(value);
}

/** YAML 1.1 or 1.2 parses these words as booleans or null. */
const RESERVED = new Set(["null", "~", "true", "false", "yes", "no", "on", "off", "y", "n"]);

/** A settings file. Secrets are hidden and commented out. */
export function settingsYaml({ settings, resolved }: LoadedSettings): string {
  const lines: string[] = [];
  let group: Group | undefined;
  for (const [key, setting] of allSettings) {
    const [groupOfSetting] = splitKey(key);
    if (groupOfSetting !== group) {
      group = groupOfSetting;
      lines.push(...(lines.length === 0 ? [] : [""]), `# ${groupTitles[group]}`);
    }
    const value = settings.shown[setting.name];
    const where = resolved.get(key)?.where;
    if (value === null) lines.push(`# ${setting.name}:`);
    else if (setting.kind.secret) lines.push(`# ${setting.name}: (hidden)  # ${where ?? "default"}`);
    else lines.push(`${setting.name}: ${yamlValue(value)}${where === undefined ? "" : `  # ${where}`}`);
  }
  return `${lines.join("\n")}\n`;
}

/** The flag for help and docs: `--api-port N`, `--no-forge` or `--cors`. */
export function flagText(setting: Setting<unknown>): string {
  if (isSwitch(setting)) return `--${setting.negated === undefined ? "" : "no-"}${setting.name}`;
  return `--${setting.name} ${setting.kind.placeholder}`;
}

export function defaultText(setting: Setting<unknown>): string | undefined {
  if (setting.defaultText !== undefined) return setting.defaultText;
  // A test checks that these defaults do not need the arguments.
  const value = (setting.defaultFor as () => unknown)();
  if (value === undefined) return undefined;
  if (typeof value === "boolean") return value ? "yes" : "no";
  const written = setting.kind.write(value);
  return Array.isArray(written)
    ? written.join(",")
    : typeof written === "string"
      ? written
      : yamlValue(written);
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}

export function settingsMarkdown(): string {
  const sections = Object.entries(groupTitles).map(([group, title]) => {
    const rows = allSettings
      .filter(([key]) => splitKey(key)[0] === group)
      .map(([, setting]) => {
        const fileForm = fileSettingName(setting);
        const variables = [
          holdfastName(setting),
          setting.container && `CHAIN_${setting.container}`,
          setting.plain,
        ].flatMap((name) => name ?? []);
        const others = variables.flatMap((name) =>
          fileForm === undefined ? [`\`${name}\``] : [`\`${name}\``, `\`${name}_FILE\``],
        );
        const flags = [flagText(setting), fileForm && `--${fileForm} PATH`].flatMap((flag) => flag ?? []);
        const defaultValue = defaultText(setting);
        return `| ${[
          flags.map((flag) => `\`${cell(flag)}\``).join("<br>"),
          others.join("<br>"),
          defaultValue === undefined ? "" : cell(defaultValue),
          cell(setting.kind.expects),
          cell(setting.about),
        ].join(" | ")} |`;
      });
    return [
      `## ${title}`,
      "",
      "| Flag | Variables | Default | Value | Meaning |",
      "| --- | --- | --- | --- | --- |",
      ...rows,
    ].join("\n");
  });
  return `${sections.join("\n\n")}\n`;
}
