import type { Command } from "commander";
import { readInput } from "../input.ts";
import type { Io } from "../io.ts";
import { addSettings, settingsOf } from "../options.ts";
import { parseNodeUrl } from "../verify-anchor.ts";

const about = `
FILE is a path, or - for standard input: a transaction in JSON, as for POST /transactions/sign. Its \`sender\` (and
\`sponsor\`) must be accounts of the wallet, or of --seed-file. \`fee\` is required; \`version\` defaults to the newest,
\`timestamp\` to now. Existing signatures stay before the new ones. Without --node the command works offline: carry the
result to another machine and send it with POST /transactions/broadcast.

Examples:
  $ holdfast tx transfer.json > signed.json
  $ holdfast tx transfer.json --node http://127.0.0.1:6869
  $ holdfast tx transfer.json --seed-file seed --network mainnet \\
      --node https://node.example.com
`;

export function txCommand(program: Command, io: Io): void {
  const command = program
    .command("tx")
    .description("sign a transaction with the wallet, and optionally send it")
    .argument("<FILE>", "the transaction in JSON")
    .option("--node <URL>", "also send the transaction to this node", parseNodeUrl)
    .option(
      "--seed-file <PATH>",
      "file whose first line is a seed text; the seed's first account signs instead of the wallet",
    )
    .addHelpText("after", about);
  addSettings(command, "node", "wallet").action(async (file: string) => {
    const { settings } = await settingsOf(command, io);
    const { node, seedFile } = command.opts<{ node?: string; seedFile?: string }>();
    const { broadcastTo, signTransactionText } = await import("./tx-actions.ts");
    const { keysOfSeed, walletKeys } = await import("./tx-keys.ts");
    const keys =
      seedFile === undefined ? await walletKeys(settings) : keysOfSeed(readInput(seedFile), settings.profile);
    try {
      const signed = signTransactionText(readInput(file), keys.of, settings.profile, io.clock.now());
      io.out(`${node === undefined ? signed : await broadcastTo(node, signed)}\n`);
    } finally {
      await keys.close();
    }
  });
}
