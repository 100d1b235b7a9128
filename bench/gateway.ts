/**
 * Measures gateways of PostgreSQL: the time between the commit of a block at a node and the first answer with it of a
 * gateway that reads the primary and of one that reads a replica, and the processor time of a request with one, two and
 * three gateways that answer at the same time. It starts servers of its own: `scripts/install-postgres.sh` installs
 * PostgreSQL. `npm run bench -- gateway`.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PostgresServer } from "../src/postgres/testing/postgres-server.ts";
import { BlockSource, genesis } from "./block-source.ts";
import { report } from "./figures.ts";
import { compareTogether } from "./requests-together.ts";
import {
  endProcess,
  inHome,
  percentile,
  plainEnvironment,
  type Served,
  serve,
  serveNode,
} from "./support.ts";

const DATABASE = "bench";
const cli = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
const REPLICA_SETTINGS = { shared_buffers: "64MB" };

await inHome(async (home) => {
  const closing: (() => Promise<void>)[] = [];
  const opened = <T>(part: T, close: () => Promise<void>): T => {
    closing.push(close);
    return part;
  };
  try {
    const primary = await PostgresServer.start({ settings: REPLICA_SETTINGS, syncs: true });
    opened(primary, () => primary.stop());
    await primary.createDatabase(DATABASE);
    const to = primary.url("postgres", DATABASE);
    const migrated = spawnSync(process.execPath, [cli, "mirror", "migrate", "--to", to], {
      env: plainEnvironment(),
      encoding: "utf8",
    });
    if (migrated.status !== 0) throw new Error(migrated.stderr);
    const replica = await PostgresServer.startReplica(primary.port, { settings: REPLICA_SETTINGS });
    opened(replica, () => replica.stop());

    const node = join(home, "node");
    const source = await BlockSource.start(node);
    opened(source, () => source.stop());
    const start = async (name: string, from: PostgresServer): Promise<Served> => {
      const gateway = await serveNode("gateway", join(home, name), [
        "--genesis",
        genesis,
        "--from",
        from.url("postgres", DATABASE),
      ]);
      return opened(gateway, () => endProcess(gateway.process));
    };
    const mirrorArgs = ["--data-dir", node, "--genesis", genesis, "--to", to, "--metrics-port", "0"];
    // The mirror has no HTTP interface: its metrics say that it runs.
    const mirror = await serve([cli, "mirror", ...mirrorArgs]);
    opened(mirror, () => endProcess(mirror.process));
    const gateways = [await start("gateway-0", primary), await start("gateway-of-replica", replica)];

    const [ofPrimary = [], ofReplica = []] = await source.delaysOf(gateways);
    report("Commit to a gateway's answer, primary, median", percentile(ofPrimary, 0.5), "ms");
    report("Commit to a gateway's answer, primary, p99", percentile(ofPrimary, 0.99), "ms", { atMost: 100 });
    report("Commit to a gateway's answer, replica, median", percentile(ofReplica, 0.5), "ms");
    report("Commit to a gateway's answer, replica, p99", percentile(ofReplica, 0.99), "ms", { atMost: 300 });

    const [first] = gateways;
    const three = [first as Served, await start("gateway-1", primary), await start("gateway-2", primary)];
    await compareTogether("gateways", three, ["/blocks/height", "/blocks/headers/last"]);
  } finally {
    for (const close of closing.reverse()) await close();
  }
});
