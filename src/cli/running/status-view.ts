import Type, { type Static, type TSchema } from "typebox";
import { type JsonOut, printJson } from "../../bytes/json.ts";
import { CommandError, UsageError } from "../exit-codes.ts";
import type { Io } from "../io.ts";
import { countText } from "../numbers.ts";
import { repeatUntilStopped } from "../stopping.ts";
import { wrapWords } from "../wrap.ts";
import { connectNode, type NodeConnection, type NodeFlags, RefusedRequestError } from "./node-connection.ts";
import { columns, durationText, plainText, sizeText } from "./plain-text.ts";

export interface StatusFlags extends NodeFlags {
  readonly interval: number;
  readonly once?: boolean;
  readonly json?: boolean;
}

const Health = Type.Object({
  state: Type.String(),
  reasons: Type.Array(Type.Object({ code: Type.String(), message: Type.String() })),
  height: Type.Integer(),
  timestamp: Type.Number(),
  peers: Type.Integer(),
  forging: Type.String(),
  version: Type.String(),
  keyRoutes: Type.String(),
});
const Sync = Type.Object({
  behind: Type.Boolean(),
  targetHeight: Type.Optional(Type.Number()),
  blocksPerSecond: Type.Number(),
  secondsLeft: Type.Optional(Type.Number()),
});
const Pool = Type.Object({ size: Type.Integer() });
const Indexes = Type.Array(
  Type.Object({
    name: Type.String(),
    state: Type.String(),
    height: Type.Optional(Type.Number()),
    of: Type.Optional(Type.Number()),
  }),
);
const MaybeBytes = Type.Union([Type.Number(), Type.Null()]);
const Resources = Type.Object({
  startedAt: Type.Number(),
  memoryBytes: MaybeBytes,
  storeBytes: MaybeBytes,
  diskFreeBytes: MaybeBytes,
  diskBytes: MaybeBytes,
});
const Debug = Type.Object({ minerState: Type.String() });

interface NodeState {
  readonly url: string;
  readonly health: Static<typeof Health>;
  readonly sync: Static<typeof Sync>;
  readonly unconfirmed: number;
  readonly indexes: Static<typeof Indexes>;
  /** Undefined without the right to read resources. */
  readonly resources: Static<typeof Resources> | undefined;
  /** Set if forging is enabled but impossible; needs access to key routes. */
  readonly forgingProblem: string | undefined;
}

/** Undefined if this connection cannot use the key routes, or the node refuses the call. */
async function readWithKey<T extends TSchema>(
  node: NodeConnection,
  keyRoutes: string,
  path: string,
  schema: T,
): Promise<Static<T> | undefined> {
  if (keyRoutes !== "open" && !(keyRoutes === "key" && node.hasKey)) return undefined;
  try {
    return await node.call(path, schema, { sendsKey: true });
  } catch (error) {
    if (error instanceof RefusedRequestError) return undefined;
    throw error;
  }
}

async function readState(node: NodeConnection): Promise<NodeState> {
  const [health, sync, pool, indexes] = await Promise.all([
    node.call("/node/health", Health),
    node.call("/node/sync", Sync),
    node.call("/transactions/unconfirmed/size", Pool),
    node.call("/node/indexes", Indexes),
  ]);
  const { keyRoutes, forging } = health;
  const resources = await readWithKey(node, keyRoutes, "/node/resources", Resources);
  const debug = forging === "waiting" ? await readWithKey(node, keyRoutes, "/debug/info", Debug) : undefined;
  const forgingProblem = debug?.minerState.replace(/^error: /, "");
  return { url: node.url, health, sync, unconfirmed: pool.size, indexes, resources, forgingProblem };
}

function syncText({ health, sync }: NodeState): string {
  const { targetHeight, blocksPerSecond, secondsLeft } = sync;
  if (!sync.behind || targetHeight === undefined) return "no better chain known";
  const left = secondsLeft === undefined ? "" : `, about ${durationText(1_000 * secondsLeft)} left`;
  return `block ${health.height} of about ${targetHeight}, ${blocksPerSecond} blocks/s${left}`;
}

function indexesText({ indexes }: NodeState): string {
  const busy = indexes.filter(({ state }) => state === "building" || state === "clearing");
  if (busy.length === 0) return `${indexes.filter(({ state }) => state === "ready").length} ready`;
  return busy
    .map(({ name, state, height, of }) =>
      plainText(height === undefined ? `${name} ${state}` : `${name} ${state}: block ${height} of ${of}`),
    )
    .join(", ");
}

function resourceRows(resources: NodeState["resources"], now: number): string[][] {
  if (resources === undefined) return [];
  const { startedAt, memoryBytes, storeBytes, diskFreeBytes, diskBytes } = resources;
  const size = (bytes: number | null) => (bytes === null ? "unknown" : sizeText(bytes));
  return [
    ["Memory", size(memoryBytes)],
    ["Disk", `${size(diskFreeBytes)} of ${size(diskBytes)} free, store ${size(storeBytes)}`],
    ["Running", `for ${durationText(now - startedAt)}`],
  ];
}

function stateText(state: NodeState, now: number): string {
  const { url, health, unconfirmed, resources, forgingProblem } = state;
  const rows = [
    ["Height", `${health.height}, newest block ${durationText(now - health.timestamp)} old`],
    ["Peers", String(health.peers)],
    ["Sync", syncText(state)],
    [
      "Forging",
      plainText(forgingProblem === undefined ? health.forging : `${health.forging}: ${forgingProblem}`),
    ],
    ["Pool", countText(unconfirmed, "unconfirmed transaction")],
    ["Indexes", indexesText(state)],
    ...resourceRows(resources, now),
  ];
  const title = `Holdfast v${plainText(health.version)} at ${url}: ${plainText(health.state)}\n`;
  const reasons = health.reasons.map(({ code, message }) => `  ${plainText(code)}: ${plainText(message)}\n`);
  return `${title}${reasons.join("")}${columns(rows)}`;
}

function stateJson({
  url,
  health,
  sync,
  unconfirmed,
  indexes,
  resources,
  forgingProblem,
}: NodeState): string {
  const pool = { size: unconfirmed };
  const problem = forgingProblem === undefined ? {} : { forgingProblem };
  const state = { url, health, sync, pool, indexes, resources: resources ?? null, ...problem };
  return `${printJson(state as JsonOut)}\n`;
}

/** @throws CommandError */
export async function showStatus(flags: StatusFlags, io: Io): Promise<void> {
  if (flags.json === true && flags.once === true) throw new UsageError("Give only one of --json and --once");
  const node = await connectNode(flags, io);
  if (flags.json === true) {
    io.out(stateJson(await readState(node)));
    return;
  }
  if (flags.once === true || io.outTerminal === undefined) {
    io.out(stateText(await readState(node), io.clock.now()));
    return;
  }
  await refresh(node, 1_000 * flags.interval, io);
}

async function refresh(node: NodeConnection, intervalMs: number, io: Io): Promise<void> {
  const view = new RedrawnText(io);
  await repeatUntilStopped(io, intervalMs, async (isStopped) => {
    const text = await stateOrErrorText(node, io);
    if (!isStopped()) view.draw(`${text}Refreshed every ${durationText(intervalMs)}; Ctrl-C ends\n`);
  });
}

async function stateOrErrorText(node: NodeConnection, io: Io): Promise<string> {
  try {
    return stateText(await readState(node), io.clock.now());
  } catch (error) {
    if (error instanceof CommandError) return `${error.message}\n`;
    throw error;
  }
}

class RedrawnText {
  readonly #io: Io;
  #lines = 0;

  constructor(io: Io) {
    this.#io = io;
  }

  draw(text: string): void {
    const { columns: width = 80, rows = 24 } = this.#io.outTerminal ?? {};
    // A line that the terminal wraps or scrolls would not be erased.
    const maxLength = Math.max(1, width - 1);
    const lines = text
      .trimEnd()
      .split("\n")
      .flatMap((line) => wrapWords(line, maxLength))
      .slice(0, Math.max(1, rows - 1))
      .map((line) => line.slice(0, maxLength));
    const erase = this.#lines === 0 ? "" : `\u001b[${this.#lines}A\u001b[0J`;
    this.#io.out(`${erase}${lines.join("\n")}\n`);
    this.#lines = lines.length;
  }
}
