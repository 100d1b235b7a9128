/** `holdfast wallet`. */
import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { encodeBase58 } from "../bytes/base58.ts";
import { bytesEqual } from "../bytes/compare.ts";
import { decodeUtf8, encodeUtf8 } from "../bytes/utf8.ts";
import type { Settings } from "../config/settings.ts";
import { addressText } from "../crypto/addresses.ts";
import { DEV_SEED_TEXT } from "../profiles/index.ts";
import { createWalletFile, loadWallet, openWallet, type WalletOptions } from "../wallet/open.ts";
import { readReferenceWallet, referencePassword } from "../wallet/reference.ts";
import type { Wallet } from "../wallet/wallet.ts";
import { CommandError, ExitCode } from "./exit-codes.ts";
import type { Io } from "./io.ts";
import { addSettings, settingsOf } from "./options.ts";

/** The wallet that these settings name. On `dev`, a wallet that does not exist yet is that of the seed `root`. */
export function walletOptions(settings: Settings): WalletOptions {
  return {
    path: settings.walletFile,
    chainId: settings.profile.chainId,
    password: settings.walletPassword?.reveal(),
    seed: settings.walletSeed?.reveal(),
    standardSeed: settings.network === "dev" ? encodeUtf8(DEV_SEED_TEXT) : undefined,
    accountSeed: settings.walletAccountSeed?.reveal(),
  };
}

async function existing(settings: Settings): Promise<Wallet> {
  const options = walletOptions(settings);
  const wallet = options.accountSeed === undefined ? await loadWallet(options) : await openWallet(options);
  if (wallet === undefined)
    throw new CommandError(
      ExitCode.wallet,
      `There is no wallet at ${options.path} yet. \`holdfast start\` and \`holdfast wallet new\` make one.`,
    );
  return wallet;
}

/** Runs a change of the wallet while no node uses the data directory. */
async function changing<T>(settings: Settings, io: Io, change: () => Promise<T>): Promise<T> {
  const lock = await io.lockDataDir(settings);
  try {
    return await change();
  } finally {
    await lock.release();
  }
}

function readGivenFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new CommandError(ExitCode.failed, `Cannot read ${path}: ${(error as Error).message}`);
  }
}

/** The seed as text when it is text that can be typed, for `--wallet-seed`; undefined for other bytes. */
function seedText(seed: Uint8Array): string | undefined {
  const text = decodeUtf8(seed);
  return seed.length > 0 && bytesEqual(encodeUtf8(text), seed) && !/\p{C}/u.test(text) ? text : undefined;
}

function addressesCommand(wallet: Command, io: Io): void {
  const command = wallet
    .command("addresses")
    .description("list the addresses of the wallet, as the API lists them");
  addSettings(command, "node", "wallet").action(async () => {
    const { settings } = settingsOf(command, io);
    const opened = await existing(settings);
    io.out(
      opened
        .accounts()
        .map((account) => `${addressText(account.address)}\n`)
        .join(""),
    );
    await opened.close();
  });
}

function newCommand(wallet: Command, io: Io): void {
  const command = wallet
    .command("new")
    .description(
      "add the next account of the seed and print its address; makes the wallet when there is none",
    )
    .addHelpText(
      "after",
      "\nWhile a node runs, ask the node: POST /wallet/addresses.\n\nExample:\n  $ holdfast wallet new --network testnet\n",
    );
  addSettings(command, "node", "wallet").action(async () => {
    const { settings } = settingsOf(command, io);
    const address = await changing(settings, io, async () => {
      const options = walletOptions(settings);
      const found = options.accountSeed === undefined ? await loadWallet(options) : await openWallet(options);
      const opened = found ?? (await openWallet(options));
      try {
        const account = found === undefined ? opened.oldest() : await opened.addAccount();
        return account?.address;
      } finally {
        await opened.close();
      }
    });
    if (address !== undefined) io.out(`${addressText(address)}\n`);
  });
}

function seedCommand(wallet: Command, io: Io): void {
  const command = wallet
    .command("seed")
    .description("show the seed of the wallet, from which all its accounts can be made anew")
    .addHelpText(
      "after",
      "\nKeep it on paper, offline. To bring the wallet back, start a node on an empty data directory with the seed in\n" +
        "HOLDFAST_WALLET_SEED_BASE58, and add as many accounts as there were.\n",
    );
  addSettings(command, "node", "wallet").action(async () => {
    const { settings } = settingsOf(command, io);
    const opened = await existing(settings);
    const seed = opened.seed();
    await opened.close();
    io.err("Warning: whoever knows this seed owns everything in the wallet. Show it to nobody.\n");
    const text = seedText(seed);
    io.out(`base58: ${encodeBase58(seed)}\n${text === undefined ? "" : `text: ${text}\n`}`);
  });
}

interface ConvertFlags {
  readonly filePassword?: string;
  readonly filePasswordFile?: string;
}

function convertCommand(wallet: Command, io: Io): void {
  const command = wallet
    .command("convert")
    .description("take over the accounts of a wallet.dat of the reference node; that file stays as it is")
    .argument("<FILE>", "the wallet.dat")
    .option(
      "--file-password <TEXT>",
      "its password (standard: that of the reference's shipped configuration)",
    )
    .option("--file-password-file <PATH>", "file whose first line is that password")
    .addHelpText(
      "after",
      "\nExample:\n  $ holdfast wallet convert /lto/wallet/wallet.dat --file-password-file secret --network mainnet\n",
    );
  addSettings(command, "node", "wallet").action(async (file: string) => {
    const { settings } = settingsOf(command, io);
    const { filePassword, filePasswordFile } = command.opts<ConvertFlags>();
    if (filePassword !== undefined && filePasswordFile !== undefined)
      throw new CommandError(ExitCode.usage, "--file-password and --file-password-file: give one of them");
    const password =
      filePasswordFile === undefined
        ? (filePassword ?? referencePassword)
        : readGivenFile(filePasswordFile).split(/\r?\n/, 1)[0];
    const text = readGivenFile(file);
    const addresses = await changing(settings, io, async () => {
      const options = walletOptions(settings);
      if (options.accountSeed !== undefined)
        throw new CommandError(ExitCode.usage, "A wallet of one fixed account takes no other accounts");
      const made = await createWalletFile(await readReferenceWallet(text, password), options);
      try {
        return made.accountsByAge().map((account) => addressText(account.address));
      } finally {
        await made.close();
      }
    });
    io.err(`Made ${settings.walletFile} with ${addresses.length} accounts, oldest first:\n`);
    io.out(addresses.map((address) => `${address}\n`).join(""));
  });
}

export function walletCommand(program: Command, io: Io): void {
  const wallet = program.command("wallet").description("look at and change the wallet of a node");
  addressesCommand(wallet, io);
  newCommand(wallet, io);
  seedCommand(wallet, io);
  convertCommand(wallet, io);
}
