import { resolve } from "node:path";
import type { Command } from "commander";
import type { Io } from "../io.ts";
import { wholeNumber } from "../numbers.ts";
import { shellWord } from "../shell-word.ts";
import { MAX_NODES } from "./max-nodes.ts";

const about = `
The first call creates a network in the directory: a genesis file, and for each node an account, a settings file, a data
directory and a log. All nodes listen on 127.0.0.1 only. Later calls start this network again, and add nodes if
--nodes is higher than before.

Examples:
  $ holdfast network up --nodes 3
  $ holdfast network status
  $ holdfast network logs node-2 --follow
  $ holdfast network up --nodes 5
  $ holdfast network down
  $ rm -r holdfast-network
`;

const DEFAULT_FOLDER = "holdfast-network";

interface Flags {
  readonly dir: string;
  readonly nodes: number;
  readonly chainId: string;
  readonly delay: string | undefined;
  readonly apiPort: number;
  readonly p2pPort: number;
}

interface AddFlags {
  readonly dir: string;
  readonly nodes: number;
  readonly apiPort?: number;
  readonly p2pPort?: number;
}

interface LogFlags {
  readonly dir: string;
  readonly lines: number;
  readonly follow?: boolean;
}

function commandText(name: string, dir: string): string {
  return `holdfast network ${name}${dir === DEFAULT_FOLDER ? "" : ` --dir ${shellWord(dir)}`}`;
}

const commandsFor = (dir: string) => ({ up: commandText("up", dir), down: commandText("down", dir) });

const aboutAdd = `
New nodes get the blocks from the other nodes. The accounts of new nodes have no tokens, because the genesis block is
fixed. By default, new nodes use the ports after those of the other nodes, or free ports.

Examples:
  $ holdfast network add
  $ holdfast network add --nodes 2 --api-port 7000 --p2p-port 7100
`;

const aboutStatus = `
Exit codes: 0 all nodes run, 14 a node does not respond.

Examples:
  $ holdfast network status
  $ holdfast network status --json
`;

const aboutLogs = `
Without NODE, the lines of all nodes are printed in order of time.

Examples:
  $ holdfast network logs
  $ holdfast network logs node-2 --follow
`;

export function networkCommand(program: Command, io: Io): void {
  const network = program.command("network").description("run a network of several nodes on this machine");
  const port = wholeNumber(0, 65_535 - MAX_NODES);
  network
    .command("up")
    .description("start the nodes of a local network; creates the network if it does not exist")
    .option("--dir <FOLDER>", "directory of the network", DEFAULT_FOLDER)
    .option(
      "--nodes <N>",
      "number of nodes; missing ones are added to an existing network",
      wholeNumber(1, MAX_NODES),
      3,
    )
    .option("--chain-id <C>", "chain id of a new network, one character", "N")
    .option(
      "--delay <TIME>",
      "average time between blocks of a new network (default: 10s for one node, 13s for several)",
    )
    .option(
      "--api-port <N>",
      "port of the first node's HTTP interface; the other nodes use the next ports; 0: free ports",
      port,
      6_870,
    )
    .option(
      "--p2p-port <N>",
      "P2P port of the first node; the other nodes use the next ports; 0: free ports",
      port,
      6_970,
    )
    .addHelpText("after", about)
    .action(async (flags: Flags, command: Command) => {
      const { networkUp } = await import("./local-network.ts");
      const given = command.options
        .filter((option) => option.attributeName() !== "dir")
        .filter((option) => command.getOptionValueSource(option.attributeName()) === "cli")
        .map(({ long }) => long ?? "");
      await networkUp({ ...flags, folder: resolve(flags.dir), given, commands: commandsFor(flags.dir) }, io);
    });
  network
    .command("down")
    .description("stop the nodes of a local network, and keep their directories")
    .option("--dir <FOLDER>", "directory of the network", DEFAULT_FOLDER)
    .action(async ({ dir }: Pick<Flags, "dir">) => {
      const { networkDown } = await import("./local-network.ts");
      await networkDown(resolve(dir), io);
    });
  network
    .command("add")
    .description("add nodes to a local network and start them")
    .option("--dir <FOLDER>", "directory of the network", DEFAULT_FOLDER)
    .option("--nodes <N>", "number of nodes to add", wholeNumber(1, MAX_NODES), 1)
    .option("--api-port <N>", "port of the first new node's HTTP interface; 0: free ports", port)
    .option("--p2p-port <N>", "P2P port of the first new node; 0: free ports", port)
    .addHelpText("after", aboutAdd)
    .action(async ({ dir, nodes, apiPort, p2pPort }: AddFlags) => {
      const { networkAdd } = await import("./local-network.ts");
      const commands = commandsFor(dir);
      await networkAdd({ folder: resolve(dir), count: nodes, apiPort, p2pPort, commands }, io);
    });
  network
    .command("status")
    .description("show height, last block, peers and pool of each node of a local network")
    .option("--dir <FOLDER>", "directory of the network", DEFAULT_FOLDER)
    .option("--json", "print JSON")
    .addHelpText("after", aboutStatus)
    .action(async ({ dir, json }: { readonly dir: string; readonly json?: boolean }) => {
      const { networkStatus } = await import("./network-status.ts");
      await networkStatus(resolve(dir), { json, upCommand: commandText("up", dir) }, io);
    });
  network
    .command("logs [NODE]")
    .description("print the newest log lines of one node, such as node-2, or of all")
    .option("--dir <FOLDER>", "directory of the network", DEFAULT_FOLDER)
    .option("--lines <N>", "number of old lines of each log, up to 10000", wholeNumber(0, 10_000), 20)
    .option("--follow", "print new lines until Ctrl-C")
    .addHelpText("after", aboutLogs)
    .action(async (node: string | undefined, { dir, lines, follow = false }: LogFlags) => {
      const { networkLogs } = await import("./network-logs.ts");
      await networkLogs({ folder: resolve(dir), node, lineCount: lines, follow }, io);
    });
}
