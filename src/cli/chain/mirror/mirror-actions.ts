import { chainReader } from "../../../chain/snapshot.ts";
import { duration } from "../../../config/kinds/quantity-kinds.ts";
import type { Settings } from "../../../config/settings.ts";
import { createLog } from "../../../log.ts";
import { createMetrics } from "../../../node/metrics/metrics-server.ts";
import { mirrorReadiness } from "../../../node/mirroring/mirror-readiness.ts";
import { mirroredNode } from "../../../node/mirroring/mirrored-node.ts";
import { type RunningMirror, startMirror } from "../../../node/mirroring/start-mirror.ts";
import { connectPostgres } from "../../../postgres/connection/pg-connection.ts";
import { parsePostgresUrl, readPassword } from "../../../postgres/connection/postgres-url.ts";
import { verifyTables } from "../../../postgres/mirror/verify-tables.ts";
import { requireSchema } from "../../../postgres/schema/inspect.ts";
import { areaLog } from "../../../runtime/area-log.ts";
import { LogLevels } from "../../../runtime/logging/log-levels.ts";
import { systemClock } from "../../../runtime/system.ts";
import { openStore } from "../../../storage/store.ts";
import { failure, UsageError } from "../../exit-codes.ts";
import type { Io } from "../../io.ts";
import { countText } from "../../numbers.ts";
import { runStoppable } from "../../stopping.ts";
import { offlineTrust, requireChain } from "../offline-node.ts";
import { Progress } from "../progress.ts";

const DAY_MS = 86_400_000;
const maxLag = duration(1_000, 30 * DAY_MS);

function maxLagOf(text: string): number {
  try {
    // Durations do not depend on the network.
    return maxLag.read(text, undefined as never);
  } catch {
    throw new UsageError(`--max-lag: '${text.slice(0, 50)}' is not ${maxLag.expects}`);
  }
}

export async function runMirror(settings: Settings, url: string, maxLagText: string, io: Io): Promise<void> {
  const maxLagMs = maxLagOf(maxLagText);
  const levels = LogLevels.of(settings.logLevel);
  const log = createLog({ levels, format: settings.logFormat, file: undefined });
  for (const warning of settings.warnings) log.warn(warning);
  const trust = await offlineTrust(settings);
  let mirror: RunningMirror | undefined;
  const { collector, serveMetrics } = createMetrics(settings.monitoring, io.clock, log, () =>
    mirrorReadiness(mirror?.info, maxLagMs),
  );
  await runStoppable(io, async (stop) => {
    const server = await serveMetrics?.();
    if (server !== undefined) log.info(`Metrics for Prometheus at ${server.url}`);
    try {
      const target = { url, password: settings.mirror.password?.reveal() };
      const running = startMirror(
        { ...mirroredNode(settings, trust), ...target },
        { clock: io.clock, log: areaLog(log, "chain"), metrics: collector.metrics },
      );
      mirror = running;
      const end = (): void => void running.stop();
      stop.addEventListener("abort", end, { once: true });
      if (stop.aborted) end();
      await running.finished;
    } finally {
      await server?.close();
    }
  });
}

/** @throws CommandError if there are differences */
export async function verifyMirror(settings: Settings, url: string, io: Io): Promise<void> {
  await requireChain(settings);
  const trust = await offlineTrust(settings);
  const node = mirroredNode(settings, trust);
  const store = await openStore(node.directory, { network: node.identity, readOnly: true });
  const progress = new Progress(io, systemClock, "Comparing", "rows");
  try {
    const password = settings.mirror.password?.reveal() ?? readPassword(undefined, io.environment);
    const sql = await connectPostgres(parsePostgresUrl(url), {
      clock: systemClock,
      password,
      applicationName: "holdfast mirror verify",
      // The server may read many rows from a slow disk.
      deadlineMs: 60_000,
    });
    try {
      await requireSchema(sql, node.description.network);
      const { faults, blocks, rows, outcome } = await runStoppable(io, (stop) =>
        verifyTables(sql, {
          reader: chainReader(store, node.context),
          network: settings.profile,
          clock: systemClock,
          isStopped: () => stop.aborted,
          progress: ({ height, total, rows: count }) => progress.show({ done: height, total, count, height }),
        }),
      );
      progress.end();
      const checked = `${countText(blocks, "block")}, ${countText(rows, "row")}`;
      for (const { table, problem, row } of faults) io.out(`${table}: ${problem}: ${row}\n`);
      if (faults.length > 0)
        throw failure(
          `The tables differ from the chain. Compared: ${checked}. To repair them, drop them and let the mirror fill them again.`,
        );
      if (outcome === "stopped") throw failure(`Stopped after ${checked}.`);
      if (outcome === "other chain")
        throw failure(
          "The newest unit of the database is not on the node's chain: let the mirror catch up first.",
        );
      if (outcome === "moved")
        io.err("The newest block was not compared: the database does not have the node's newest unit.\n");
      io.out(`No differences: ${checked}.\n`);
    } finally {
      await sql.close();
    }
  } finally {
    progress.end();
    await store.close();
  }
}
