import Type from "typebox";
import { genesisBlock } from "../../blocks/genesis.ts";
import { encodeBase58 } from "../../bytes/base58.ts";
import { printJson } from "../../bytes/json.ts";
import { customProfile } from "../../profiles/index.ts";
import { CommandError, ExitCode } from "../exit-codes.ts";
import { readInput } from "../input.ts";
import type { Io } from "../io.ts";
import { countText } from "../numbers.ts";
import { NodeConnection } from "../running/node-connection.ts";
import { columns, plainText } from "../running/plain-text.ts";
import { withUsageErrors } from "./genesis-plan.ts";
import { genesisFile, HOST, type NetworkFile, requireNetwork } from "./network-directory.ts";

const REQUEST_TIMEOUT_MS = 5_000;

const Health = Type.Object({ state: Type.String(), peers: Type.Integer(), forging: Type.String() });
const Header = Type.Object({ height: Type.Integer(), signature: Type.String() });
const Pool = Type.Object({ size: Type.Integer() });

interface RunningState {
  readonly height: number;
  readonly lastBlock: string;
  readonly peers: number;
  readonly pool: number;
  readonly state: string;
  readonly forging: string;
}

interface NodeState {
  readonly node: string;
  readonly url: string;
  /** `another program`: the port responds, but not like a node of this network. */
  readonly found: RunningState | "not running" | "another program";
}

async function readState(
  number: number,
  { nodes }: NetworkFile,
  genesisId: string,
  io: Io,
): Promise<NodeState> {
  const node = `node-${number}`;
  const url = `http://${HOST}:${nodes[number - 1].apiPort}`;
  const connection = new NodeConnection(url, { io, timeoutMs: REQUEST_TIMEOUT_MS });
  try {
    const genesis = await connection.call("/blocks/headers/at/1", Header);
    if (genesis.signature !== genesisId) return { node, url, found: "another program" };
    const [health, header, pool] = await Promise.all([
      connection.call("/node/health", Health),
      connection.call("/blocks/headers/last", Header),
      connection.call("/transactions/unconfirmed/size", Pool),
    ]);
    const { state, peers, forging } = health;
    const { height, signature } = header;
    return { node, url, found: { height, lastBlock: signature, peers, pool: pool.size, state, forging } };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return { node, url, found: error.code === ExitCode.unreachable ? "not running" : "another program" };
  }
}

const SHORT_ID = 12;

function rowOf({ node, url, found }: NodeState): string[] {
  if (typeof found === "string") return [node, url, found];
  const { height, lastBlock, peers, pool, state, forging } = found;
  return [
    node,
    url,
    plainText(state),
    String(height),
    plainText(lastBlock.slice(0, SHORT_ID)),
    String(peers),
    String(pool),
    plainText(forging),
  ];
}

function jsonOf({ node, url, found }: NodeState) {
  return typeof found === "string" ? { node, url, running: false } : { node, url, running: true, ...found };
}

/** @throws UsageError; CommandError, after printing, if a node does not respond */
export async function networkStatus(
  folder: string,
  { json = false, upCommand }: { readonly json?: boolean | undefined; readonly upCommand: string },
  io: Io,
): Promise<void> {
  const network = requireNetwork(folder);
  const text = readInput(genesisFile(folder));
  const genesisId = withUsageErrors(() => encodeBase58(genesisBlock(customProfile(text)).signature));
  const states = await Promise.all(network.nodes.map((_, i) => readState(i + 1, network, genesisId, io)));
  if (json) io.out(`${printJson(states.map(jsonOf))}\n`);
  else
    io.out(
      columns([
        ["NODE", "URL", "STATE", "HEIGHT", "LAST BLOCK", "PEERS", "POOL", "FORGING"],
        ...states.map(rowOf),
      ]),
    );
  const stopped = states.filter(({ found }) => typeof found === "string").length;
  if (stopped > 0)
    throw new CommandError(
      ExitCode.unreachable,
      `${stopped} of ${countText(states.length, "node")} ${stopped === 1 ? "does" : "do"} not respond: \`${upCommand}\` starts ${stopped === 1 ? "it" : "them"}`,
    );
}
