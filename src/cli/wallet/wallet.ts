import type { Command } from "commander";
import type { Settings } from "../../config/settings.ts";
import type { Io } from "../io.ts";
import { countText } from "../numbers.ts";
import { addSettings, settingsOf } from "../options.ts";
import type { ConvertFlags } from "./wallet-actions.ts";
import type { PasswordFlags } from "./wallet-password.ts";

const actions = () => import("./wallet-actions.ts");

function withSettings(
  command: Command,
  io: Io,
  run: (settings: Settings, argument: string) => Promise<void>,
): void {
  addSettings(command, "node", "wallet").action(async (argument: string) =>
    run((await settingsOf(command, io)).settings, argument),
  );
}

function addressesCommand(wallet: Command, io: Io): void {
  const command = wallet
    .command("addresses")
    .description("list the addresses of the wallet, in the same order as the API");
  withSettings(command, io, async (settings) => {
    io.out(await (await actions()).listAddresses(settings));
  });
}

function newCommand(wallet: Command, io: Io): void {
  const command = wallet
    .command("new")
    .description(
      "add the next account of the seed and print its address; creates the wallet if it does not exist",
    )
    .addHelpText(
      "after",
      "\nWhile a node is running, use its API: POST /wallet/addresses.\n\nExample:\n  $ holdfast wallet new --network testnet\n",
    );
  withSettings(command, io, async (settings) => {
    io.out(await (await actions()).addAddress(settings, io));
  });
}

function seedCommand(wallet: Command, io: Io): void {
  const command = wallet
    .command("seed")
    .description("show the seed of the wallet, which restores all its accounts")
    .addHelpText(
      "after",
      "\nKeep it on paper, offline. To restore the wallet, start a node on an empty data directory with the seed in\n" +
        "HOLDFAST_WALLET_SEED_BASE58, and add as many accounts as it had.\n",
    );
  withSettings(command, io, async (settings) => {
    const seed = await (await actions()).showSeed(settings);
    io.err("Warning: anyone with this seed owns everything in the wallet. Keep it secret.\n");
    io.out(seed);
  });
}

function convertCommand(wallet: Command, io: Io): void {
  const command = wallet
    .command("convert")
    .description("import the accounts of the reference node's wallet.dat; that file is not changed")
    .argument("<FILE>", "the wallet.dat")
    .option(
      "--file-password <TEXT>",
      "password of the wallet.dat (default: the one in the reference node's default configuration)",
    )
    .option("--file-password-file <PATH>", "file whose first line is the password of the wallet.dat")
    .addHelpText(
      "after",
      "\nExample:\n  $ holdfast wallet convert /lto/wallet/wallet.dat --network mainnet \\\n      --file-password-file secret\n",
    );
  withSettings(command, io, async (settings, file) => {
    const addresses = await (await actions()).convertWallet(file, command.opts<ConvertFlags>(), settings, io);
    io.err(`Created ${settings.wallet.file} with ${countText(addresses.length, "account")}, oldest first:\n`);
    io.out(addresses.map((address) => `${address}\n`).join(""));
  });
}

function passwdCommand(wallet: Command, io: Io): void {
  const command = wallet
    .command("passwd")
    .description("change the password of the wallet file; stop the node first")
    .option("--new-password-file <PATH>", "file that contains the new password; `-`: standard input")
    .addHelpText(
      "after",
      "\nThe current password is that of --wallet-password-file or HOLDFAST_WALLET_PASSWORD, or the one stored next to\n" +
        "the file. The new one is that of --new-password-file, HOLDFAST_NEW_WALLET_PASSWORD or\n" +
        "HOLDFAST_NEW_WALLET_PASSWORD_FILE. In a terminal, the command asks for a missing password. The new password is not stored:\n" +
        "give it to the node at every start.\n\nExample:\n  $ holdfast wallet passwd --network mainnet\n",
    );
  withSettings(command, io, async (settings) => {
    const { changeWalletPassword } = await import("./wallet-password.ts");
    io.err(await changeWalletPassword(command.opts<PasswordFlags>(), settings, io));
  });
}

export function walletCommand(program: Command, io: Io): void {
  const wallet = program.command("wallet").description("show and change the wallet of a node");
  addressesCommand(wallet, io);
  newCommand(wallet, io);
  seedCommand(wallet, io);
  convertCommand(wallet, io);
  passwdCommand(wallet, io);
}
