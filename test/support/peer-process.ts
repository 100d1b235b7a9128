/** Nodes as processes that connect to each other on loopback. */
import { type NodeProcess, startNodeProcess, until } from "./node-process.ts";

const API_KEY = "key of a test's node";

/** Settings that let several nodes share one IP address and start at any time after the last block of their chain. */
export const SHARED = [
  ["--api-key", API_KEY],
  ["--p2p-host", "127.0.0.1"],
  ["--p2p-port", "0"],
  ["--max-single-host-connections", "30"],
  ["--suspension-residence-time", "1s"],
  ["--black-list-residence-time", "1m"],
  ["--interval-after-last-block", "36500d"],
].flat();

export interface PeerProcess extends NodeProcess {
  readonly p2pPort: number;
  /** `get` and `post` with the node's API key. */
  query(path: string): ReturnType<NodeProcess["get"]>;
  command(path: string, body: unknown): ReturnType<NodeProcess["post"]>;
  /** Makes it connect to another node. */
  connect(other: { readonly p2pPort: number }): Promise<void>;
}

/** Starts a node that listens for peers on a free port. */
export async function startPeer(options: {
  readonly dataDir: string;
  readonly genesis: string;
  readonly args?: readonly string[];
}): Promise<PeerProcess> {
  const { dataDir, genesis, args = [] } = options;
  return peerOn(await startNodeProcess({ dataDir, args: ["--genesis", genesis, ...SHARED, ...args] }));
}

/** A node that was started with the settings above. */
export async function peerOn(node: NodeProcess): Promise<PeerProcess> {
  const p2pPort = await until("a port for peers", async () => {
    const match = /Peers can connect at 127\.0\.0\.1:(\d+)/.exec(node.output());
    return match === null ? undefined : Number(match[1]);
  });
  const key = { "x-api-key": API_KEY };
  const command: PeerProcess["command"] = (path, body) => node.post(path, body, key);
  return {
    ...node,
    p2pPort,
    command,
    query: (path) => node.get(path, key),
    connect: async (other) => {
      const answer = await command("/peers/connect", { host: "127.0.0.1", port: other.p2pPort });
      if (answer.status !== 200) throw new Error(answer.text);
    },
  };
}

/** Id of the newest block or micro block, Base58. */
export async function tipOf({ get }: NodeProcess): Promise<string> {
  return (await get("/blocks/headers/last")).json.signature;
}

/** Waits until all nodes have the same newest block, at or above this height. @returns its id */
export async function sameTip(nodes: readonly NodeProcess[], height: number): Promise<string> {
  return until(`the same block at ${height} or above`, async () => {
    const headers = await Promise.all(nodes.map((node) => node.get("/blocks/headers/last")));
    const [first] = headers;
    const agreed = headers.every(({ json }) => json.signature === first.json.signature);
    return agreed && first.json.height >= height ? first.json.signature : undefined;
  });
}
