/** `holdfast network up|down`: runs several local nodes, for experiments. */
import { resolve } from "node:path";
import type { Command } from "commander";
import type { Io } from "../io.ts";
import { wholeNumber } from "../numbers.ts";
import { shellWord } from "../shell-word.ts";

const about = `
The first call creates a network in the directory: a genesis file, and for each node an account, a settings file, a data
directory and a log. All nodes listen on 127.0.0.1 only. Later calls start this network again.

Examples:
  $ holdfast network up --nodes 3
  $ curl http://127.0.0.1:6870/peers/connected
  $ holdfast network down
  $ rm -r holdfast-network
`;

const MAX_NODES = 20;
const DEFAULT_FOLDER = "holdfast-network";

interface Flags {
  readonly dir: string;
  readonly nodes: number;
  readonly chainId: string;
  readonly delay: string | undefined;
  readonly apiPort: number;
  readonly p2pPort: number;
}

function stopCommandOf(dir: string): string {
  if (dir === DEFAULT_FOLDER) return "holdfast network down";
  return `holdfast network down --dir ${shellWord(dir)}`;
}

export function networkCommand(program: Command, io: Io): void {
  const network = program.command("network").description("run a network of several nodes on this machine");
  const port = wholeNumber(0, 65_535 - MAX_NODES);
  network
    .command("up")
    .description("start the nodes of a local network; creates the network if it does not exist")
    .option("--dir <FOLDER>", "directory of the network", DEFAULT_FOLDER)
    .option("--nodes <N>", "number of nodes of a new network", wholeNumber(1, MAX_NODES), 3)
    .option("--chain-id <C>", "chain id of a new network, one character", "N")
    .option(
      "--delay <TIME>",
      "average time between blocks of a new network (default: 10s for one node, 13s for several)",
    )
    .option(
      "--api-port <N>",
      "port of the first node's HTTP interface; the others follow; 0: free ports",
      port,
      6_870,
    )
    .option("--p2p-port <N>", "P2P port of the first node; the others follow; 0: free ports", port, 6_970)
    .addHelpText("after", about)
    .action(async (flags: Flags, command: Command) => {
      const { networkUp } = await import("./local-network.ts");
      const given = command.options
        .filter((option) => option.attributeName() !== "dir")
        .filter((option) => command.getOptionValueSource(option.attributeName()) === "cli")
        .map(({ long }) => long ?? "");
      await networkUp(
        { ...flags, folder: resolve(flags.dir), given, stopCommand: stopCommandOf(flags.dir) },
        io,
      );
    });
  network
    .command("down")
    .description("stop the nodes of a local network; their directories stay")
    .option("--dir <FOLDER>", "directory of the network", DEFAULT_FOLDER)
    .action(async ({ dir }: Pick<Flags, "dir">) => {
      const { networkDown } = await import("./local-network.ts");
      await networkDown(resolve(dir), io);
    });
}
