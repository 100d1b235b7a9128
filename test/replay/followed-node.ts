/** A node and a node that follows it, both in this process and over HTTP, whose answers are compared. */
import { controlOnConnection, serveControlOnConnection } from "../../src/api/ports/remote-control.ts";
import { isKeyRoute, type Route } from "../../src/api/route.ts";
import { parseBlock } from "../../src/blocks/testing/parse-block.ts";
import { ByteReader } from "../../src/bytes/reader.ts";
import { chainReader } from "../../src/chain/snapshot.ts";
import { routeOf } from "../../src/client/testing/check-answer.ts";
import type { Settings } from "../../src/config/settings.ts";
import type { Clock, Log } from "../../src/interfaces.ts";
import { readerContext } from "../../src/node/composition.ts";
import { NodeLink } from "../../src/node/following/gateway/node-link.ts";
import { NodePool } from "../../src/node/following/gateway/node-pool.ts";
import { type RunningFollower, runFollower } from "../../src/node/following/run-follower.ts";
import { startApiInline } from "../../src/node/testing/api-inline.ts";
import {
  caughtUp,
  FollowerMachine,
  sourceDescription,
  sourceOf,
} from "../../src/node/testing/follower-machine.ts";
import { createNode, type Node, startNode } from "../../src/node.ts";
import type { SqlConnection } from "../../src/postgres/connection/sql-connection.ts";
import { migrate } from "../../src/postgres/schema/migrate.ts";
import { TABLES_SCHEMA } from "../../src/postgres/schema/statements.ts";
import {
  chain as chainTable,
  revertedUnit,
  setting,
  unit,
  unitBody,
} from "../../src/postgres/schema/tables/position-tables.ts";
import { startPglite } from "../../src/postgres/testing/pglite-connection.ts";
import { UnitMirror } from "../../src/postgres/testing/unit-mirror.ts";
import { PostgresUnitSource } from "../../src/postgres/units/postgres-unit-source.ts";
import type { NetworkProfile } from "../../src/profiles/index.ts";
import { pairedFrames } from "../../src/runtime/remote/testing/paired-frames.ts";
import { memoryStore } from "../../src/storage/memory-store.ts";
import { type SettingsChanges, settingsOf } from "../../src/testing/settings.ts";
import { silentLog } from "../../src/testing/silent-log.ts";
import { simulatedEnvironment } from "../../src/testing/simulated-environment.ts";
import { VirtualClock } from "../../src/testing/virtual-clock.ts";
import { fixedWallet } from "../../src/wallet/fixed-wallet.ts";
import { type ExactAnswer, type ExactRequest, exchange } from "./http-exchange.ts";

const BLOCKS_PER_COMMIT = 50;

/** Routes about the process itself. */
export const OWN_PATHS: readonly string[] = ["/health/ready", "/node/health", "/node/sync"];

/** Returns true for a read whose parameters are in its body. */
export function isPostRead(route: Route): boolean {
  return route.method === "POST" && route.onFollower === undefined && !isKeyRoute(route);
}

/**
 * Returns true if the answer must be that of the node. A follower answers some of these requests from its store, and
 * forwards the others.
 */
function isRead({ method, path }: ExactRequest, prefix: string): boolean {
  const known = path.replace(prefix, "") || "/";
  const route = URL.canParse(`http://node${known}`) ? routeOf(method, known) : undefined;
  // The node must not get other requests twice.
  if (method !== "GET" && method !== "HEAD" && !(route !== undefined && isPostRead(route))) return false;
  return route?.onFollower !== "own" && !OWN_PATHS.includes(route?.path ?? "");
}

export interface Follower {
  /** Waits for the node's newest unit, and returns how the follower's answer to a read differs from the node's. */
  differences(request: ExactRequest): Promise<string[]>;
  stop(): Promise<void>;
}

function compared({ status, headers, body }: ExactAnswer): Record<string, unknown> {
  const { "content-type": type, location, etag, "cache-control": cache, "x-chain": position } = headers;
  const totals = [headers["x-total"], headers["x-next-cursor"], headers["x-unknown-fields"]];
  return {
    status,
    type,
    location,
    etag,
    cache,
    position,
    totals,
    body: Buffer.from(body).toString("latin1"),
  };
}

type StartFollower = (node: Node, settings: Settings, clock: Clock, log?: Log) => Promise<Follower>;

/**
 * Starts a follower with the settings of a node.
 * @param settings those of the node, with an API on any free port
 */
export const startFollower: StartFollower = async (node, settings, clock, log = silentLog) => {
  const { url } = node;
  if (url === undefined) throw new Error("The node has no HTTP server");
  const machine = new FollowerMachine({ sources: [sourceOf(node)], clock, log, http: startApiInline() });
  const following = { ...settings.following, sources: [url] };
  const running = await runFollower(machine, { ...settings, following }, new AbortController().signal);
  return compareAnswers(node, running, settings, async () => {});
};

/** Databases of gateways are tables of one, because starting one takes seconds. */
let database: Promise<SqlConnection> | undefined;

async function emptyDatabase(): Promise<SqlConnection> {
  database ??= startPglite().then(async (sql) => {
    await migrate(sql, "test");
    return sql;
  });
  const sql = await database;
  for (const { name } of [unit, unitBody, revertedUnit, chainTable, setting])
    await sql.query(`truncate ${TABLES_SCHEMA}.${name}`);
  return sql;
}

/** Starts a gateway of a node: its units come from PostgreSQL, and it calls the node's control. */
export const startGateway: StartFollower = async (node, settings, clock, log = silentLog) => {
  const { url, environment, chain, trust, control } = node;
  if (url === undefined) throw new Error("The node has no HTTP server");
  const sql = await emptyDatabase();
  const reader = chainReader(environment.store, readerContext(node.settings, chain.rules, trust));
  const mirror = new UnitMirror(sql, reader, sourceDescription(node));
  await mirror.sync();
  const shared: SqlConnection = {
    name: "database",
    lost: new AbortController().signal,
    query: (text, values) => sql.query(text, values),
    script: (texts) => sql.script(texts),
    copyIn: (target, pieces) => sql.copyIn(target, pieces),
    transaction: (work) => sql.transaction(work),
    listen: (channel, onNotify) => sql.listen(channel, onNotify),
    close: async () => {},
  };
  const source = new PostgresUnitSource({
    name: "database",
    connect: async () => shared,
    clock,
    seen: new Map(),
  });
  const link = new NodeLink({
    name: "tls://node",
    clock,
    connect: async () => {
      const [caller, served] = pairedFrames();
      serveControlOnConnection(served, { control, token: "token", clock, log });
      return {
        control: await controlOnConnection(caller, { token: "token", clock }),
        close: () => caller.close(),
      };
    },
  });
  const nodes = new NodePool([link], clock);
  const machine = new FollowerMachine({ sources: [source], clock, log, http: startApiInline(), nodes });
  const gateway = { ...settings.gateway, from: ["postgres://gateway@127.0.0.1/chain"], urls: [url] };
  const running = await runFollower(machine, { ...settings, gateway }, new AbortController().signal);
  return compareAnswers(node, running, settings, () => mirror.sync());
};

/** @param publish called before each comparison */
function compareAnswers(
  { url, chain }: Node,
  running: RunningFollower,
  { api: { prefix } }: Settings,
  publish: () => Promise<void>,
): Follower {
  if (url === undefined) throw new Error("The node has no HTTP server");
  return {
    differences: async (request) => {
      if (!isRead(request, prefix)) return [];
      await publish();
      await caughtUp(running.node, { chain });
      const expected = compared(await exchange(url, request, prefix));
      const actual = compared(await exchange(String(running.node.url), request, prefix));
      return Object.keys(expected)
        .filter((name) => JSON.stringify(expected[name]) !== JSON.stringify(actual[name]))
        .map((name) => {
          const [own, other] = [expected[name], actual[name]].map((one) =>
            JSON.stringify(one)?.slice(0, 300),
          );
          return `${request.method} ${request.path}: ${name} is ${own} at the node, ${other} at the follower`;
        });
    },
    stop: () => running.stop(),
  };
}

/** Starts a node over recorded blocks, and a follower or gateway of it. @param blocks each with its length before it */
export async function startFollowed(options: {
  readonly profile: NetworkProfile;
  readonly blocks: Uint8Array;
  /** Default: all. */
  readonly maxHeight?: number;
  /** Time of both clocks, ms. */
  readonly now: number;
  readonly settings?: SettingsChanges;
  /** Default: `startFollower`. */
  readonly start?: StartFollower;
}): Promise<Follower & { readonly node: Node }> {
  const { profile, blocks, now, maxHeight = Number.POSITIVE_INFINITY } = options;
  const clock = new VirtualClock(now);
  const settings = settingsOf(
    profile,
    { api: { port: 0 }, forging: { enabled: false } },
    options.settings ?? {},
  );
  const store = memoryStore();
  const wallet = fixedWallet([], profile.chainId);
  const { chain } = createNode(simulatedEnvironment({ clock, store, wallet }), settings);
  for (const bytes = new ByteReader(blocks); bytes.remaining > 0 && chain.tip.height < maxHeight; ) {
    const group = chain.beginGroup();
    for (let i = 0; i < BLOCKS_PER_COMMIT && bytes.remaining > 0; i++) {
      const result = group.append(parseBlock(bytes.bytes(bytes.i32()), profile));
      if (!result.ok) throw new Error(result.error.printed);
    }
    group.commit();
  }
  const node = await startNode(
    simulatedEnvironment({ clock, store, wallet, http: startApiInline() }),
    settings,
  );
  const follower = await (options.start ?? startFollower)(node, settings, clock);
  return {
    node,
    differences: follower.differences,
    stop: async () => {
      await follower.stop();
      await node.stop();
    },
  };
}
