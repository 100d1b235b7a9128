/**
 * The command `holdfast`. `--version` answers without loading the commands. `start` loads the HTTP thread at the same time
 * as the commands.
 */
import { fileURLToPath } from "node:url";
import { versionText } from "./node/version.ts";

const [command, ...others] = process.argv.slice(2);
const isVersion = (command === "--version" || command === "-V") && others.length === 0;
const startsNode =
  command === "start" && !others.some((option) => /^(-h|--help|--help-all|--no-api)$/.test(option));
if (isVersion) process.stdout.write(`${versionText()}\n`);
else {
  const early = startsNode ? (await import("./node/api/http-thread.ts")).startEarlyHttpThread() : undefined;
  const { runOnSystem } = await import("./cli/system/system-io.ts");
  process.exit(await runOnSystem(fileURLToPath(import.meta.url), early));
}
