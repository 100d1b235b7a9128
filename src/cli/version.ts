/** `holdfast version`. */
import { readFileSync } from "node:fs";
import type { Command } from "commander";
import type { Io } from "./io.ts";

/** Version of the package, `x.y.z`. */
export function packageVersion(): string {
  // The same path from src/cli and from dist/cli.
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}

export function versionCommand(program: Command, io: Io): void {
  program
    .command("version")
    .description("print the versions of Holdfast and of Node.js")
    .action(() => {
      io.out(
        `Holdfast v${packageVersion()}\nNode.js ${process.version} on ${process.platform} ${process.arch}\n`,
      );
    });
}
