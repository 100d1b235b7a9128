/** `holdfast tx`. */
import type { Command } from "commander";
import { readInput } from "../input.ts";
import type { Io } from "../io.ts";
import { addSettings, settingsOf } from "../options.ts";
import { parseNodeUrl } from "../verify-anchor.ts";

const about = `
FILE is a path, or - for standard input: one transaction in JSON, as POST /transactions/sign takes it. Its \`sender\` (and
\`sponsor\`) must be accounts of the wallet, or of --seed-file; \`version\` is the newest and \`timestamp\` now unless they are
given, \`fee\` must be. Signatures that it has stay before the new ones. Without --node nothing is sent and no node is
asked: the result can be carried to another machine and sent there with POST /transactions/broadcast.

Examples:
  $ holdfast tx transfer.json > signed.json
  $ holdfast tx transfer.json --node http://127.0.0.1:6869
  $ holdfast tx transfer.json --seed-file seed --network mainnet --node https://node.example.com
`;

interface Flags {
  readonly node?: string;
  readonly seedFile?: string;
}

export function txCommand(program: Command, io: Io): void {
  const command = program
    .command("tx")
    .description("sign a transaction with the wallet, and send it on request")
    .argument("<FILE>", "the transaction in JSON")
    .option("--node <URL>", "node to send it to", parseNodeUrl)
    .option(
      "--seed-file <PATH>",
      "file whose first line is a seed text; its first account signs, not the wallet",
    )
    .addHelpText("after", about);
  addSettings(command, "node", "wallet").action(async (file: string) => {
    const { settings } = await settingsOf(command, io);
    const { node, seedFile } = command.opts<Flags>();
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
