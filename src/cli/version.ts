import type { Command } from "commander";
import { versionText } from "../node/version.ts";
import type { Io } from "./io.ts";

export function versionCommand(program: Command, io: Io): void {
  program
    .command("version")
    .description("print the versions of Holdfast and of Node.js")
    .action(() => {
      io.out(`${versionText()}\nNode.js ${process.version} on ${process.platform} ${process.arch}\n`);
    });
}
