/**
 * Compares the cost of requests with bare Fastify routes that return the same bytes from memory, in the same run and in
 * alternating turns. Both servers are separate processes. The node has imported the recorded chain `eras`; each route
 * receives several different requests in rotation. Requests per second depend on the load of the machine; the server's
 * processor time per request hardly does, so it decides (Linux only). `first` is the cost of a request that the node
 * receives for the first time.
 * `HOLDFAST_BENCH_TURNS` (3), `HOLDFAST_BENCH_SECONDS` (2) and `HOLDFAST_BENCH_CHAIN` (a folder of recorded chains)
 * change the figures. `--only=` limits the run to some routes: `--only=/blocks/last,/hash/:hash`.
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { decodeBase58, MAX_BASE58_BYTES } from "../src/bytes/base58.ts";
import { encodeHex } from "../src/bytes/hex.ts";
import { type Asked, compareRoutes, withNode } from "./route-speed.ts";
import { inHome, type Served } from "./support.ts";

const CHAIN = process.env.HOLDFAST_BENCH_CHAIN ?? "eras";
const VECTORS = process.env.HOLDFAST_VECTORS ?? fileURLToPath(new URL("../../test/vectors", import.meta.url));
/** Number of different requests per route that has a parameter. */
const SUBJECTS = 24;

/** The members of answers that this file uses. */
interface KnownTransaction {
  readonly id: string;
  readonly sender?: string;
  readonly anchors?: readonly string[] | object;
}
interface KnownBlock {
  readonly height: number;
  readonly transactions: readonly KnownTransaction[];
}

const wanted = process.argv.find((argument) => argument.startsWith("--only="))?.slice("--only=".length);

/** Picks this many elements, spread over the whole list. */
function spread<T>(list: readonly T[], count: number): T[] {
  const step = Math.max(list.length / count, 1);
  return Array.from({ length: Math.min(count, list.length) }, (_, i) => list[Math.floor(i * step)] as T);
}

/** Builds requests for identifiers that the node's chain contains. */
async function subjects({ url }: Served): Promise<Asked[]> {
  const json = async (path: string) => (await fetch(url + path)).json();
  const { height } = (await json("/blocks/height")) as { height: number };
  const blocks: KnownBlock[] = [];
  for (let from = 2; from <= height; from += 100)
    blocks.push(...((await json(`/blocks/seq/${from}/${from + 99}`)) as KnownBlock[]));
  const transactions = blocks.flatMap((block) => block.transactions);
  const counts = new Map<string, number>();
  for (const { sender } of transactions)
    if (sender !== undefined) counts.set(sender, (counts.get(sender) ?? 0) + 1);
  const accounts = [...counts].sort(([, a], [, b]) => b - a).map(([address]) => address);
  const busy = accounts.filter((address) => (counts.get(address) ?? 0) >= 100);
  const crowded = [...blocks].sort(
    (a, b) => Math.abs(a.transactions.length - 110) - Math.abs(b.transactions.length - 110),
  );
  const hashes = transactions.flatMap(({ anchors }) => (Array.isArray(anchors) ? anchors.slice(0, 1) : []));
  const of = (
    route: string,
    values: readonly (string | number)[],
    part: number,
    firstUs?: number | undefined,
  ): Asked => ({
    route,
    urls: spread(values, SUBJECTS).map((value) => route.replace(/:\w+/, String(value))),
    wanted: part,
    firstUs,
  });
  return [
    of("/blocks/height", [""], 0.75),
    of("/node/status", [""], 0.75),
    of("/addresses/balance/:address", accounts, 0.75),
    of("/addresses/balance/details/:address", accounts, 0.75),
    of(
      "/transactions/info/:id",
      transactions.map(({ id }) => id),
      0.75,
      60,
    ),
    of(
      "/hash/:hash",
      hashes.map((hash) => encodeHex(decodeBase58(hash, MAX_BASE58_BYTES))),
      0.75,
    ),
    of("/blocks/last", [""], 0.75),
    of(
      "/blocks/at/:height",
      crowded.slice(0, 10).map((block) => block.height),
      0.3,
      1_500,
    ),
    of("/transactions/address/:address?limit=100", busy.length > 0 ? busy : accounts, 0.3, 2_500),
  ];
}

await inHome(async (home) => {
  const chain = join(VECTORS, "chains", CHAIN);
  await withNode(
    home,
    { genesis: join(chain, "genesis.json"), blocks: join(chain, "blocks.bin") },
    async (node) => {
      const all = await subjects(node);
      const isWanted = ({ route }: Asked): boolean =>
        wanted?.split(",").includes(route.split("?", 1)[0] ?? "") ?? true;
      await compareRoutes(home, node, all.filter(isWanted));
    },
  );
});
