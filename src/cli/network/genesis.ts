/** `holdfast genesis new`: creates a network. */

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
An account is named by what is known of it, and what it owns in units (1 token = 100,000,000 units):

  --account ADDRESS=UNITS      somebody who need not forge
  --account PUBLICKEY=UNITS    somebody who will: the Base58 text of an ed25519 key
  --seeds FILE                 a line each: UNITS, a blank, the seed of a wallet (its first account is meant)
  --new-accounts N             N new accounts of --balance units; their seeds are written into --seeds-out, in that form

The file is printed, or written with --out. It must be the same on every node. Whoever owns a seed starts a node with
it in <NAME>_WALLET_SEED, where <NAME> is the name of the network. docs/operate.md explains the members; all but those
of \`genesis\` may be changed before the network begins, and never afterwards.

Examples:
  $ holdfast genesis new --chain-id D --name DEMO --new-accounts 3 --seeds-out seeds.txt --out demo.json
  $ holdfast genesis new --chain-id D --seeds seeds.txt --delay 15s > demo.json
`;

const DEFAULT_BALANCE = 100_000_000_000_000n;
/** Limit of a genesis block. */
const MAX_ACCOUNTS = 127;
/** If the last block is older, nodes do not forge: page 03 §10.1. */
const MAX_AGE_MS = 30 * DAY;

interface Flags {
  readonly chainId: string;
  readonly name: string;
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

function units(text: string): bigint {
  if (!/^\d{1,19}$/.test(text)) throw new InvalidArgumentError("It must be a whole number.");
  return BigInt(text);
}

function networkName(text: string): string {
  if (!/^[A-Za-z][A-Za-z0-9_]{0,31}$/.test(text))
    throw new InvalidArgumentError("It must be up to 32 letters, digits and underscores, a letter first.");
  return text;
}

/** Parses `all`, `none`, or a list of ids, each with a height after a colon if it is not 0. */
function featureHeights(text: string, all: Iterable<number>): Map<number, number> {
  if (text === "all") return new Map(Array.from(all, (id) => [id, 0]));
  if (text === "none") return new Map();
  return new Map(
    text.split(",").map((entry) => {
      const match = /^(\d{1,5})(?::(\d{1,9}))?$/.exec(entry.trim());
      if (match === null) throw new UsageError(`--features: '${entry}' is no feature id, nor id:height`);
      return [Number(match[1]), Number(match[2] ?? 0)];
    }),
  );
}

async function accountsOf(entries: readonly string[], chainId: number): Promise<Founder[]> {
  const { decodeBase58 } = await import("../../bytes/base58.ts");
  const { addressOf, parseAddress } = await import("../../crypto/addresses.ts");
  return entries.map((entry) => {
    const match = /^([^=]{1,64})=(\d{1,19})$/.exec(entry);
    if (match === null)
      throw new UsageError(
        `--account: '${entry}' must be an address or public key, an equals sign, and units`,
      );
    const [, who, amount] = match;
    try {
      // An address has 35 characters, a key 43 or 44.
      if (who.length < 40)
        return { address: parseAddress(who, chainId), publicKey: undefined, amount: BigInt(amount) };
      const publicKey = decodeBase58(who, 64);
      if (publicKey.length !== 32) throw new Error(`it has ${publicKey.length} bytes`);
      return { address: addressOf(publicKey, chainId), publicKey, amount: BigInt(amount) };
    } catch (error) {
      const reason = reasonOf(error);
      throw new UsageError(
        `--account: '${who}' is neither an address of this network nor a public key: ${reason}`,
      );
    }
  });
}

async function makeNetwork(flags: Flags, io: Io): Promise<void> {
  const { implementedFeatures, parseDuration } = await import("../../profiles/index.ts");
  const { addressText } = await import("../../crypto/addresses.ts");
  const { systemClock } = await import("../../runtime/system.ts");
  const { withUsageErrors, planNetwork } = await import("./genesis-plan.ts");
  const { foundersOf, newSeeds, readSeeds, seedLines, writeAllNew } = await import("./founders.ts");
  if (flags.newAccounts !== undefined && flags.seedsOut === undefined)
    throw new UsageError(
      "--new-accounts: name a file for the seeds with --seeds-out; they are shown nowhere else",
    );
  const chainId = flags.chainId.charCodeAt(0);
  const seeds = [
    ...(flags.seeds === undefined ? [] : readSeeds(flags.seeds)),
    ...(flags.newAccounts === undefined ? [] : newSeeds(flags.newAccounts, flags.balance)),
  ];
  const founders = [...(await accountsOf(flags.account ?? [], chainId)), ...foundersOf(seeds, chainId)];
  const now = systemClock.now();
  const timestamp = flags.timestamp ?? BigInt(now);
  const planned = withUsageErrors(() =>
    planNetwork({
      name: flags.name,
      chainId: flags.chainId,
      averageBlockDelayMs: parseDuration(flags.delay),
      timestamp,
      features: featureHeights(flags.features, implementedFeatures),
      founders,
      baseTarget: flags.baseTarget,
    }),
  );
  const { seedsOut, out } = flags;
  const files: NewFile[] = [];
  if (flags.newAccounts !== undefined && seedsOut !== undefined) {
    const made = seeds.slice(seeds.length - flags.newAccounts);
    files.push({ path: seedsOut, text: seedLines(made), mode: 0o600 });
  }
  if (out !== undefined) files.push({ path: out, text: planned.text, mode: 0o644 });
  writeAllNew(files);
  if (flags.newAccounts !== undefined)
    io.err(`Seeds of the new accounts are in ${seedsOut}: whoever has one owns the account.\n`);
  if (out === undefined) io.out(planned.text);
  for (const { address, amount } of founders) io.err(`${addressText(address)} owns ${amount} units\n`);
  if (planned.firstBlockMs !== undefined)
    io.err(`The first block is due ${Math.round(planned.firstBlockMs / 1_000)} s after the genesis block\n`);
  if (timestamp > BigInt(now)) io.err("Warning: the network begins in the future; nobody forges before\n");
  if (BigInt(now) - timestamp > BigInt(MAX_AGE_MS))
    io.err(
      "Warning: the genesis block is older than 30 days: nobody forges upon it unless --interval-after-last-block allows it\n",
    );
}

export function genesisCommand(program: Command, io: Io): void {
  const genesis = program.command("genesis").description("make a network of one's own");
  const collect = (value: string, before: readonly string[] = []): string[] => [...before, value];
  genesis
    .command("new")
    .description("print the file of a new network, for --genesis on each of its nodes")
    .requiredOption("--chain-id <C>", "one character that no other network uses")
    .option(
      "--name <NAME>",
      "name of the network: in variables, DIDs, and types of anchors",
      networkName,
      "LTO",
    )
    .option("--account <WHO=UNITS>", "an account by address or public key; as often as there are", collect)
    .option("--seeds <FILE>", "accounts by their seeds")
    .option("--new-accounts <N>", "so many new accounts", wholeNumber(1, MAX_ACCOUNTS))
    .addOption(
      new Option("--balance <UNITS>", "what each new account owns")
        .argParser(units)
        // As text, because help cannot print a bigint.
        .default(DEFAULT_BALANCE, String(DEFAULT_BALANCE)),
    )
    .option("--seeds-out <FILE>", "where the seeds of new accounts are written; the file must be new")
    .option("--delay <TIME>", "average time between blocks, 5s at least", "60s")
    .option(
      "--features <LIST>",
      "features active without a vote: all, none, or ids, with :height each",
      "all",
    )
    .option("--timestamp <MS>", "time of the genesis block, ms since 1970 (default: now)", units)
    .option("--base-target <N>", "initial base target (default: fits the first forger's key)", units)
    .option("--out <FILE>", "write it to a new file instead of printing it")
    .addHelpText("after", about)
    .action((flags: Flags) => makeNetwork(flags, io));
  genesis
    .command("reference <FILE>")
    .description("print the network of a file as the configuration that the reference's nodes take")
    .addHelpText("after", "\nExample:\n  $ holdfast genesis reference demo.json > lto.conf\n")
    .action(async (path: string) => {
      const { withUsageErrors, referenceConfiguration } = await import("./genesis-plan.ts");
      io.out(withUsageErrors(() => referenceConfiguration(readInput(path))));
    });
}
