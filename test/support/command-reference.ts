/** The page of all commands, generated from their definitions. */
import type { Command, Option } from "commander";
import { everyGroup } from "../../src/cli/options.ts";
import { createProgram } from "../../src/cli/program.ts";
import { idleIo } from "../../src/cli/testing/fake-node.ts";
import { groupTitles } from "../../src/config/settings.ts";

const introduction = `# Commands

This page lists every command with its arguments and options. A test generates it from the definitions of the commands (\`npx vitest run test/docs.test.ts --update\`). \`holdfast help COMMAND\` shows the same with examples, and \`--help-all\` also shows the flags of settings, which [settings.md](settings.md) lists.
`;

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll(/[<>]/g, "\\$&");
const sentence = (text: string): string => `${text[0].toUpperCase()}${text.slice(1)}.`;

function leaves(command: Command): Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leaves);
}

function settingsText(options: readonly Option[]): string {
  const groups = [...new Set(options.flatMap(({ helpGroupHeading }) => helpGroupHeading ?? []))];
  if (groups.length === 0) return "";
  if (groups.length >= everyGroup.length)
    return "Settings: `--config <FILE>` and the flags of [all settings](settings.md).\n\n";
  const link = (heading: string): string => {
    const title = heading.replace(/:$/, "");
    return `[${title}](settings.md#${title.toLowerCase().replaceAll(" ", "-")})`;
  };
  const others = everyGroup
    .map((group) => groupTitles[group])
    .filter((title) => !groups.includes(`${title}:`));
  if (others.length === 1)
    return `Settings: \`--config <FILE>\` and the flags of [all settings](settings.md) except ${link(others[0])}.\n\n`;
  const links = groups.map(link);
  return `Settings: \`--config <FILE>\` and the flags of ${links.join(", ")}.\n\n`;
}

function commandText(command: Command): string {
  const help = command.createHelp();
  const usage = help.commandUsage(command).replace(" [options]", "");
  const rows = [
    ...help
      .visibleArguments(command)
      .map((argument) => [argument.name(), help.argumentDescription(argument)]),
    ...command.options
      .filter(({ helpGroupHeading, long }) => helpGroupHeading === undefined && long !== "--help-all")
      .map((option) => [option.flags, help.optionDescription(option)]),
  ].map(([name, about]) => `| \`${name.replaceAll("|", "\\|")}\` | ${cell(about)} |\n`);
  const table =
    rows.length === 0 ? "" : `| Argument or option | Meaning |\n| --- | --- |\n${rows.join("")}\n`;
  return `## ${usage.replaceAll(/[<>]/g, "")}\n\n${sentence(command.description())}\n\n${table}${settingsText(command.options)}`;
}

/** Returns docs/commands.md. */
export function commandReference(): string {
  return `${introduction}\n${leaves(createProgram(idleIo())).map(commandText).join("").trim()}\n`;
}
