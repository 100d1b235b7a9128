import type { Command } from "commander";
import { settingsMarkdown, settingsYaml } from "../config/show.ts";
import type { Io } from "./io.ts";
import { addSettings, everyGroup, readSettings } from "./options.ts";

export function configCommand(program: Command, io: Io): void {
  const config = program.command("config").description("show and check the settings");

  const print = config
    .command("print")
    .description("print all settings as a settings file, with their sources; secrets are hidden")
    .addHelpText(
      "after",
      "\nExample: the settings of a node with this file and environment\n  $ holdfast config print --config node.yaml\n",
    );
  addSettings(print, ...everyGroup).action(async () => io.out(settingsYaml(await readSettings(print, io))));

  const check = config
    .command("check")
    .description("check all settings; if some are invalid, print the problems and exit with code 2")
    .addHelpText(
      "after",
      "\nExample:\n  $ holdfast config check --config node.yaml && systemctl restart holdfast\n",
    );
  addSettings(check, ...everyGroup).action(async () => {
    const { settings } = await readSettings(check, io);
    io.out(`The settings are valid. Network ${settings.network}, data in ${settings.dataDir}.\n`);
  });

  config
    .command("table")
    .description("print all settings as Markdown tables")
    .action(() => io.out(settingsMarkdown()));
}
