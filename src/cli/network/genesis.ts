import { type Command, InvalidArgumentError, Option } from "commander";
import { DAY } from "../../bytes/durations.ts";
import { reasonOf } from "../../bytes/errors.ts";
import { UsageError } from "../exit-codes.ts";
import { readInput } from "../input.ts";
import type { Io } from "../io.ts";
import { wholeNumber } from "../numbers.ts";
import type { NewFile } from "./founders.ts";
import type { Founder } from "./genesis-plan.ts";

const about = `
Accounts and their balances in units (1 token = 100,000,000 units):

  --account ADDRESS=UNITS    an account that will not forge
  --account PUBLICKEY=UNITS  a forger: the Base58 text of an ed25519 key
  --seeds FILE               an account per line: UNITS, a blank, the seed of a
                             wallet; the wallet's first account gets the units
  --new-accounts N           N new accounts with --balance units; their lines
                             for --seeds are written to --seeds-out

The file is printed, or written to --out. It must be the same on every node. The owner of a seed starts a node with
it in <NAME>_WALLET_SEED, where <NAME> is the name of the network. docs/networks.md explains the file. Until the
network starts, you may change any member outside \`genesis\`; after that, none.

Examples:
  $ holdfast genesis new --chain-id D --name DEMO --new-accounts 3 \\
      --seeds-out seeds.txt --out demo.json
  $ holdfast genesis new --chain-id D --seeds seeds.txt --delay 15s > demo.json
`;

/** In units. */
const DEFAULT_BALANCE = 100_000_000_000_000n;
/** Transactions of a genesis block. Page 03 §2.3. */
const MAX_ACCOUNTS = 127;
/** Nodes forge by default only on blocks up to this age. Page 03 §10.1. */
const MAX_PARENT_AGE_MS = 30 * DAY;

interface Flags {
  readonly chainId: string;
  readonly name: string;
  readonly displayName?: string;
  readonly tokenSymbol?: string;
  readonly delay: string;
  readonly account?: readonly string[];
  readonly seeds?: string;
  readonly newAccounts?: number;
  readonly balance: bigint;
  readonly seedsOut?: string;
  readonly features: string;
  readonly timestamp?: bigint;
  readonly baseTarget?: bigint;
  readonly out?: string;
}

function toBigInt(text: string): bigint {
  if (!/^\d{1,19}$/.test(text)) throw new InvalidArgumentError("It must be a whole number.");
  return BigInt(text);
}

function parseNetworkName(text: string): string {
  if (!/^[A-Za-z][A-Za-z0-9_]{0,31}$/.test(text))
    throw new InvalidArgumentError(
      "It must be up to 32 letters, digits and underscores, starting with a letter.",
    );
  return text;
}

/** Parses `all`, `none`, or comma-separated ids, optionally with `:height` (default 0). */
function parseFeatureHeights(text: string, all: Iterable<number>): Map<number, number> {
  if (text === "all") return new Map(Array.from(all, (id) => [id, 0]));
  if (text === "none") return new Map();
  return new Map(
    text.split(",").map((entry) => {
      const match = /^(\d{1,5})(?::(\d{1,9}))?$/.exec(entry.trim());
      if (match === null) throw new UsageError(`--features: expected an id or id:height, got '${entry}'`);
      return [Number(match[1]), Number(match[2] ?? 0)];
    }),
  );
}

async function parseAccounts(entries: readonly string[], chainId: number): Promise<Founder[]> {
  const { decodeBase58 } = await import("../../bytes/base58.ts");
  const { addressOf, parseAddress } = await import("../../crypto/addresses.ts");
  return entries.map((entry) => {
    const match = /^([^=]{1,64})=(\d{1,19})$/.exec(entry);
    if (match === null)
      throw new UsageError(
        `--account: expected an address or public key, an equals sign and units, got '${entry}'`,
      );
    const [, account, amount] = match;
    try {
      // Addresses have 35 characters, keys 43 or 44.
      if (account.length < 40)
        return { address: parseAddress(account, chainId), publicKey: undefined, amount: BigInt(amount) };
      const publicKey = decodeBase58(account, 64);
      if (publicKey.length !== 32) throw new Error(`it has ${publicKey.length} bytes`);
      return { address: addressOf(publicKey, chainId), publicKey, amount: BigInt(amount) };
    } catch (error) {
      const reason = reasonOf(error);
      throw new UsageError(
        `--account: '${account}' is neither an address of this network nor a public key: ${reason}`,
      );
    }
  });
}

async function makeNetwork(flags: Flags, io: Io): Promise<void> {
  const { implementedFeatures, parseDuration } = await import("../../profiles/index.ts");
  const { addressText } = await import("../../crypto/addresses.ts");
  const { systemClock } = await import("../../runtime/system.ts");
  const { withUsageErrors, planNetwork } = await import("./genesis-plan.ts");
  const { forecastText, quorumText, requireForgingGap } = await import("./forecast.ts");
  const { foundersOf, newSeeds, readSeeds, seedFileText, writeAllNew } = await import("./founders.ts");
  if (flags.newAccounts !== undefined && flags.seedsOut === undefined)
    throw new UsageError("--new-accounts: give a file for the seeds with --seeds-out; they are not shown");
  const chainId = flags.chainId.charCodeAt(0);
  const seeds = [
    ...(flags.seeds === undefined ? [] : readSeeds(flags.seeds)),
    ...(flags.newAccounts === undefined ? [] : newSeeds(flags.newAccounts, flags.balance)),
  ];
  const founders = [...(await parseAccounts(flags.account ?? [], chainId)), ...foundersOf(seeds, chainId)];
  const now = systemClock.now();
  const timestamp = flags.timestamp ?? BigInt(now);
  const planned = withUsageErrors(() =>
    planNetwork({
      name: flags.name,
      displayName: flags.displayName,
      tokenSymbol: flags.tokenSymbol,
      chainId: flags.chainId,
      averageBlockDelayMs: parseDuration(flags.delay),
      timestamp,
      features: parseFeatureHeights(flags.features, implementedFeatures),
      founders,
      baseTarget: flags.baseTarget,
    }),
  );
  if (planned.forecast !== undefined) requireForgingGap(planned.forecast);
  const { seedsOut, out } = flags;
  const files: NewFile[] = [];
  if (flags.newAccounts !== undefined && seedsOut !== undefined) {
    const newSeedLines = seeds.slice(seeds.length - flags.newAccounts);
    files.push({ path: seedsOut, text: seedFileText(newSeedLines), mode: 0o600 });
  }
  if (out !== undefined) files.push({ path: out, text: planned.genesisText, mode: 0o644 });
  writeAllNew(files);
  if (flags.newAccounts !== undefined)
    io.err(`The seeds of the new accounts are in ${seedsOut}. Anyone with a seed owns its account.\n`);
  if (out === undefined) io.out(planned.genesisText);
  for (const { address, amount } of founders) io.err(`${addressText(address)} has ${amount} units\n`);
  if (planned.firstBlockMs !== undefined)
    io.err(`The first block is due ${Math.round(planned.firstBlockMs / 1_000)} s after the genesis block\n`);
  if (planned.forecast !== undefined) io.err(forecastText(planned.forecast) + quorumText(planned.forecast));
  if (timestamp > BigInt(now))
    io.err("Warning: the genesis block is in the future; no block is forged until then\n");
  if (BigInt(now) - timestamp > BigInt(MAX_PARENT_AGE_MS))
    io.err(
      "Warning: the genesis block is older than 30 days: no block is forged on it, unless --interval-after-last-block is longer\n",
    );
}

export function genesisCommand(program: Command, io: Io): void {
  const genesis = program.command("genesis").description("create a network");
  const collect = (value: string, before: readonly string[] = []): string[] => [...before, value];
  genesis
    .command("new")
    .description("print the genesis file of a new network, for --genesis on each of its nodes")
    .requiredOption("--chain-id <C>", "one character that no other network uses")
    .option(
      "--name <NAME>",
      "network's name in environment variables, DIDs and anchor types",
      parseNetworkName,
      "LTO",
    )
    .option("--display-name <TEXT>", "network's name in the explorer (default: --name)")
    .option("--token-symbol <TEXT>", "name of the tokens in the explorer (default: --name)")
    .option("--account <WHO=UNITS>", "account by address or public key; may be repeated", collect)
    .option("--seeds <FILE>", "file with the balance and seed of one account in each line")
    .option("--new-accounts <N>", "number of new accounts", wholeNumber(1, MAX_ACCOUNTS))
    .addOption(
      new Option("--balance <UNITS>", "balance of each new account")
        .argParser(toBigInt)
        // Help cannot print a bigint.
        .default(DEFAULT_BALANCE, String(DEFAULT_BALANCE)),
    )
    .option("--seeds-out <FILE>", "new file for the seeds of new accounts")
    .option(
      "--delay <TIME>",
      "average time between blocks; at least 5s for one forger, at least 13s for several",
      "60s",
    )
    .option(
      "--features <LIST>",
      "features that are active: all, none, or ids; an id with :height is active from that height on, others from the start",
      "all",
    )
    .option("--timestamp <MS>", "time of the genesis block, ms since 1970 (default: now)", toBigInt)
    .option("--base-target <N>", "initial base target (default: computed from the forgers' keys)", toBigInt)
    .option("--out <FILE>", "write to a new file instead of printing")
    .addHelpText("after", about)
    .action((flags: Flags) => makeNetwork(flags, io));
  genesis
    .command("reference <FILE>")
    .description("print the network of a genesis file as a configuration of the reference node")
    .addHelpText("after", "\nExample:\n  $ holdfast genesis reference demo.json > lto.conf\n")
    .action(async (path: string) => {
      const { withUsageErrors, referenceConfiguration } = await import("./genesis-plan.ts");
      io.out(withUsageErrors(() => referenceConfiguration(readInput(path))));
    });
}
