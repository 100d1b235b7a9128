import Type, { type Static } from "typebox";
import { decodeBase58 } from "../../bytes/base58.ts";
import { tryDecode } from "../../bytes/errors.ts";
import { type JsonOut, printJson } from "../../bytes/json.ts";
import { ADDRESS_LENGTH } from "../../crypto/addresses.ts";
import { CommandError, ExitCode, failure, UsageError } from "../exit-codes.ts";
import type { Io } from "../io.ts";
import { countText } from "../numbers.ts";
import { connectNode, NodeConnection, type NodeFlags } from "./node-connection.ts";
import { columns, plainText } from "./plain-text.ts";

export interface CompareFlags extends Pick<NodeFlags, "node" | "timeout"> {
  readonly address?: readonly string[];
  readonly json?: boolean;
}

const MAX_HEIGHT = 2 ** 31 - 1;
const Height = Type.Object({ height: Type.Integer({ minimum: 1, maximum: MAX_HEIGHT }) });
const Id = Type.String({ pattern: "^[1-9A-HJ-NP-Za-km-z]{1,88}$" });
const WholeNumber = Type.Union([Type.Integer(), Type.BigInt()]);
const Address = Type.String({ pattern: "^[1-9A-HJ-NP-Za-km-z]{35}$" });
const Header = Type.Object({
  signature: Id,
  reference: Id,
  height: Type.Integer({ minimum: 1 }),
  timestamp: WholeNumber,
  generator: Address,
  version: Type.Integer(),
  blocksize: Type.Integer(),
  transactionCount: Type.Integer(),
  "nxt-consensus": Type.Object({
    "base-target": WholeNumber,
    "generation-signature": Type.String({ maxLength: 200 }),
  }),
});
type Header = Static<typeof Header>;
const Headers = Type.Array(Header, { maxItems: 100 });
const Balances = Type.Object({
  regular: WholeNumber,
  generating: WholeNumber,
  available: WholeNumber,
  effective: WholeNumber,
});
const BALANCE_NAMES = ["regular", "generating", "available", "effective"] as const;

/** Number of newest blocks whose generators' balances are compared. */
const GENERATOR_BLOCKS = 100;
const BATCH_SIZE = 8;
/** A new block requires another attempt. */
const MAX_ATTEMPTS = 5;

type Pair<T> = readonly [T, T];

interface Difference {
  readonly name: string;
  readonly values: Pair<string>;
}

interface BalanceDifference extends Difference {
  readonly address: string;
}

interface Comparison {
  readonly nodes: Pair<{ readonly url: string; readonly height: number }>;
  /** Highest height at which both nodes have the same block. */
  readonly sameUpTo: number;
  /** First different block; undefined if there is none up to the height of the shorter chain. */
  readonly block: { readonly height: number; readonly differences: readonly Difference[] } | undefined;
  /** Undefined if the newest blocks differed or changed in each attempt. */
  readonly balances:
    | { readonly compared: number; readonly differences: readonly BalanceDifference[] }
    | undefined;
}

function askBoth<T>(
  [a, b]: Pair<NodeConnection>,
  read: (node: NodeConnection) => Promise<T>,
): Promise<Pair<T>> {
  return Promise.all([read(a), read(b)]);
}

async function headerAt(node: NodeConnection, height: number): Promise<Header> {
  const header = await node.call(`/blocks/headers/at/${height}`, Header);
  if (header.height === height) return header;
  throw failure(`${node.url}: the answer for block ${height} is block ${header.height}`);
}

const chainHeight = async (node: NodeConnection) => (await node.call("/blocks/height", Height)).height;

/** Reads the chain id from the generator's address. */
async function networkText({ generator, signature }: Header): Promise<string> {
  const { mainnet, testnet, dev } = await import("../../profiles/index.ts");
  const bytes = tryDecode(() => decodeBase58(generator, 64));
  const chainId = bytes?.length === ADDRESS_LENGTH ? bytes[1] : undefined;
  const known = [mainnet, testnet, dev].find((network) => network.chainId === chainId);
  const genesis = `genesis block ${signature.slice(0, 12)}…`;
  if (chainId === undefined) return genesis;
  const letter = plainText(String.fromCharCode(chainId));
  const name = known === undefined || known === dev ? "" : `${known.name}, `;
  return `${name}chain id '${letter}', ${genesis}`;
}

async function requireSameNetwork(nodes: Pair<NodeConnection>): Promise<void> {
  const [a, b] = await askBoth(nodes, (node) => headerAt(node, 1));
  if (a.signature === b.signature) return;
  const [first, second] = await Promise.all([networkText(a), networkText(b)]);
  throw new UsageError(
    `The nodes belong to different networks: ${nodes[0].url} (${first}), ${nodes[1].url} (${second})`,
  );
}

/** Lowest height with different ids. The ids must differ at `top`, and agree at 1. */
async function firstDifference(nodes: Pair<NodeConnection>, top: number): Promise<number> {
  let same = 1;
  let different = top;
  while (different - same > 1) {
    const middle = Math.floor((same + different) / 2);
    const [a, b] = await askBoth(nodes, (node) => headerAt(node, middle));
    if (a.signature === b.signature) same = middle;
    else different = middle;
  }
  return different;
}

const HEADER_FIELDS: readonly (readonly [name: string, read: (header: Header) => unknown])[] = [
  ["id", ({ signature }) => signature],
  ["parent", ({ reference }) => reference],
  ["generator", ({ generator }) => generator],
  ["timestamp", ({ timestamp }) => timestamp],
  ["version", ({ version }) => version],
  ["base target", (header) => header["nxt-consensus"]["base-target"]],
  ["generation signature", (header) => header["nxt-consensus"]["generation-signature"]],
  ["transactions", ({ transactionCount }) => transactionCount],
  ["size", ({ blocksize }) => blocksize],
];

function headerDifferences(a: Header, b: Header): Difference[] {
  return HEADER_FIELDS.flatMap(([name, read]) => {
    const values: Pair<string> = [String(read(a)), String(read(b))];
    return values[0] === values[1] ? [] : [{ name, values: [plainText(values[0]), plainText(values[1])] }];
  });
}

async function addressesOf(
  node: NodeConnection,
  height: number,
  given: readonly string[],
): Promise<string[]> {
  const from = Math.max(1, height - GENERATOR_BLOCKS + 1);
  const headers = await node.call(`/blocks/headers/seq/${from}/${height}`, Headers);
  return [...new Set([...given, ...headers.map(({ generator }) => generator)])];
}

async function balanceDifferences(
  nodes: Pair<NodeConnection>,
  addresses: readonly string[],
): Promise<BalanceDifference[]> {
  const found: BalanceDifference[] = [];
  for (let start = 0; start < addresses.length; start += BATCH_SIZE) {
    const batch = addresses
      .slice(start, start + BATCH_SIZE)
      .map(async (address): Promise<BalanceDifference[]> => {
        const [a, b] = await askBoth(nodes, (node) =>
          node.call(`/addresses/balance/details/${address}`, Balances),
        );
        return BALANCE_NAMES.filter((name) => BigInt(a[name]) !== BigInt(b[name])).map((name) => ({
          address,
          name,
          values: [String(a[name]), String(b[name])],
        }));
      });
    found.push(...(await Promise.all(batch)).flat());
  }
  return found;
}

async function commonTip(nodes: Pair<NodeConnection>): Promise<Header | undefined> {
  const [a, b] = await askBoth(nodes, (node) => node.call("/blocks/headers/last", Header));
  return a.signature === b.signature ? a : undefined;
}

async function compareBalances(
  nodes: Pair<NodeConnection>,
  given: readonly string[],
): Promise<Comparison["balances"]> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const before = await commonTip(nodes);
    if (before === undefined) continue;
    const addresses = await addressesOf(nodes[0], before.height, given);
    const differences = await balanceDifferences(nodes, addresses);
    const after = await commonTip(nodes);
    if (after?.signature === before.signature) return { compared: addresses.length, differences };
  }
  return undefined;
}

async function compare(nodes: Pair<NodeConnection>, given: readonly string[]): Promise<Comparison> {
  await requireSameNetwork(nodes);
  const heights = await askBoth(nodes, chainHeight);
  const top = Math.min(...heights);
  const [a, b] = await askBoth(nodes, (node) => headerAt(node, top));
  const sides: Comparison["nodes"] = [
    { url: nodes[0].url, height: heights[0] },
    { url: nodes[1].url, height: heights[1] },
  ];
  if (a.signature === b.signature) {
    const balances = await compareBalances(nodes, given);
    return { nodes: sides, sameUpTo: top, block: undefined, balances };
  }
  const height = await firstDifference(nodes, top);
  const headers = await askBoth(nodes, (node) => headerAt(node, height));
  const block = { height, differences: headerDifferences(...headers) };
  return { nodes: sides, sameUpTo: height - 1, block, balances: undefined };
}

function comparisonText({ nodes, sameUpTo, block, balances }: Comparison): string {
  const [a, b] = nodes;
  const top = Math.min(a.height, b.height);
  const differenceRows = (differences: readonly Difference[]) =>
    columns(
      differences.flatMap(({ name, values }) => [
        [`  ${name}`, a.url, values[0]],
        ["", b.url, values[1]],
      ]),
    );
  const parts = [columns(nodes.map(({ url, height }) => [url, `height ${height}`]))];
  if (block === undefined) {
    const ahead = a.height > b.height ? a : b;
    const more = Math.abs(a.height - b.height);
    parts.push(`The blocks up to height ${sameUpTo} are the same`);
    parts.push(more === 0 ? ".\n" : `; ${ahead.url} has ${countText(more, "more block")}.\n`);
  } else {
    parts.push(`The blocks differ from height ${block.height} on; they are the same up to ${sameUpTo}.\n`);
    parts.push(differenceRows(block.differences));
    if (block.height === top)
      parts.push(
        `Only the blocks at height ${top} differ, and a new block may still be replaced: repeat the command.\n`,
      );
  }
  if (balances === undefined) parts.push("Balances were not compared: the newest blocks differ or change.\n");
  else if (balances.differences.length === 0)
    parts.push(`The balances of ${countText(balances.compared, "account")} are the same.\n`);
  else {
    parts.push(`Balances differ, in units of 10^-8 tokens:\n`);
    const named = balances.differences.map(({ address, name, values }) => ({
      name: `${address}  ${name}`,
      values,
    }));
    parts.push(differenceRows(named));
  }
  return parts.join("");
}

function comparisonJson({ nodes, sameUpTo, block, balances }: Comparison): string {
  return `${printJson({ nodes, sameUpTo, block: block ?? null, balances: balances ?? null } as unknown as JsonOut)}\n`;
}

/** @throws UsageError for different networks; CommandError for a difference or a failed call */
export async function compareNodes(other: string, flags: CompareFlags, io: Io): Promise<void> {
  const timeoutMs = 1_000 * flags.timeout;
  const first = await connectNode({ ...flags }, io);
  const nodes: Pair<NodeConnection> = [first, new NodeConnection(other, { io, timeoutMs })];
  const comparison = await compare(nodes, flags.address ?? []);
  io.out(flags.json === true ? comparisonJson(comparison) : comparisonText(comparison));
  const { block, balances } = comparison;
  if (block !== undefined || (balances?.differences.length ?? 0) > 0)
    throw new CommandError(ExitCode.nodesDisagree, "The nodes differ.");
}
