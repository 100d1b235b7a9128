/** The command `holdfast`. `--version` answers without loading the commands. */
import { fileURLToPath } from "node:url";
import { versionText } from "./node/version.ts";

const [option, ...others] = process.argv.slice(2);
if ((option === "--version" || option === "-V") && others.length === 0)
  process.stdout.write(`${versionText()}\n`);
else {
  const { runOnSystem } = await import("./cli/system/system-io.ts");
  process.exit(await runOnSystem(fileURLToPath(import.meta.url)));
}
