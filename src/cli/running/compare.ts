import { type Command, InvalidArgumentError } from "commander";
import type { Io } from "../io.ts";
import { wholeNumber } from "../numbers.ts";
import { parseNodeUrl } from "../verify-anchor.ts";
import type { CompareFlags } from "./compare-chains.ts";

const about = `
Compares the heights, the block ids up to the lower height, and balances of two nodes of the same network; one may be a
reference node. If block ids differ, the command finds the first different height and shows what differs there. If both
nodes have the same newest block, it compares the balances of the generators of the last 100 blocks and of the accounts
of --address. The newest block may grow while nodes receive transactions: if only this block differs, repeat the command.

Exit codes: 0 no difference (one node may have more blocks), 12 block ids or balances differ, 2 different networks,
14 a node does not respond.

Examples:
  $ holdfast compare https://node.example.com
  $ holdfast compare http://127.0.0.1:6871 --node http://127.0.0.1:6870 --json
`;

const MAX_ADDRESSES = 100;

function collectAddresses(text: string, before: readonly string[] = []): readonly string[] {
  if (!/^[1-9A-HJ-NP-Za-km-z]{35}$/.test(text)) throw new InvalidArgumentError("must be an address");
  if (before.length >= MAX_ADDRESSES) throw new InvalidArgumentError(`at most ${MAX_ADDRESSES} addresses`);
  return [...before, text];
}

export function compareCommand(program: Command, io: Io): void {
  program
    .command("compare")
    .description("find the first difference between the chains of two nodes")
    .argument("<URL>", "API of the other node", parseNodeUrl)
    .option("--node <URL>", "API of the first node (default: the one on this machine)", parseNodeUrl)
    .option("--address <ADDRESS>", "account whose balances to compare; may be repeated", collectAddresses)
    .option("--timeout <SECONDS>", "timeout of a response, up to 3600", wholeNumber(1, 3_600), 20)
    .option("--json", "print JSON")
    .addHelpText("after", about)
    .action(async (other: string, flags: CompareFlags) => {
      const { compareNodes } = await import("./compare-chains.ts");
      await compareNodes(other, flags, io);
    });
}
