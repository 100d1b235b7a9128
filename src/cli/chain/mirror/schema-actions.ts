import { chainReader } from "../../../chain/snapshot.ts";
import type { Settings } from "../../../config/settings.ts";
import { mirroredNode } from "../../../node/mirroring/mirrored-node.ts";
import { versionText } from "../../../node/version.ts";
import { connectPostgres } from "../../../postgres/connection/pg-connection.ts";
import { parsePostgresUrl, readPassword } from "../../../postgres/connection/postgres-url.ts";
import type { SqlConnection } from "../../../postgres/connection/sql-connection.ts";
import { planSize, type SizePlan } from "../../../postgres/mirror/plan-size.ts";
import { dropSchemas, schemasToDrop } from "../../../postgres/schema/drop.ts";
import { migrate } from "../../../postgres/schema/migrate.ts";
import { FORMAT } from "../../../postgres/schema/statements.ts";
import { systemClock } from "../../../runtime/system.ts";
import { openStore } from "../../../storage/store.ts";
import { failure } from "../../exit-codes.ts";
import type { Io } from "../../io.ts";
import { formatCount } from "../../numbers.ts";
import { columns, sizeText } from "../../running/plain-text.ts";
import { runStoppable } from "../../stopping.ts";
import { offlineTrust, requireChain } from "../offline-node.ts";
import { Progress } from "../progress.ts";

async function withDatabase<T>(
  settings: Settings,
  url: string,
  io: Io,
  work: (sql: SqlConnection) => Promise<T>,
): Promise<T> {
  const password = settings.mirror.password?.reveal() ?? readPassword(undefined, io.environment);
  const sql = await connectPostgres(parsePostgresUrl(url), {
    clock: systemClock,
    password,
    applicationName: "holdfast mirror",
    needsPrimary: true,
  });
  try {
    return await work(sql);
  } finally {
    await sql.close();
  }
}

/** @throws SchemaError, SqlError, PostgresUrlError */
export async function migrateDatabase(settings: Settings, url: string, io: Io): Promise<void> {
  const { name, done } = await withDatabase(settings, url, io, async (sql) => ({
    name: sql.name,
    done: await migrate(sql, versionText()),
  }));
  const ran = done.migrations.length === 0 ? "no new migrations" : `migrations ${done.migrations.join(", ")}`;
  io.out(`${name}: views ${done.views}, ${ran}\n`);
  if (done.shownFormat !== FORMAT)
    io.out(
      `The views read the tables of format ${done.shownFormat}. Run this command again once the mirror has filled those of format ${FORMAT}.\n`,
    );
  if (done.forAdministrator.length > 0)
    io.out(
      `To limit the database role of readers, an administrator must run:\n${done.forAdministrator.map((one) => `  ${one};\n`).join("")}`,
    );
}

/** @throws CommandError without confirmation; SqlError, PostgresUrlError */
export async function dropFrom(
  settings: Settings,
  url: string,
  { format, yes }: { readonly format?: number; readonly yes?: true },
  io: Io,
): Promise<void> {
  await withDatabase(settings, url, io, async (sql) => {
    const schemas = await schemasToDrop(sql, format);
    if (schemas.length === 0) {
      io.out(`${sql.name}: nothing to drop\n`);
      return;
    }
    const list = schemas.map(({ name, bytes }) => `${name} (${sizeText(bytes)})`).join(", ");
    if (yes !== true)
      throw failure(`This would drop ${list} of ${sql.name}. Nothing was changed; --yes drops them.`);
    await dropSchemas(sql, schemas);
    io.out(`${sql.name}: dropped ${list}\n`);
  });
}

/** @throws CommandError after a signal */
export async function showPlan(settings: Settings, isJson: boolean, io: Io): Promise<void> {
  await requireChain(settings);
  const node = mirroredNode(settings, await offlineTrust(settings));
  const store = await openStore(node.directory, { network: node.identity, readOnly: true });
  const progress = new Progress(io, systemClock, "Reading", "blocks");
  try {
    const plan = await runStoppable(io, (stop) =>
      planSize({
        reader: chainReader(store, node.context),
        network: settings.profile,
        clock: systemClock,
        isStopped: () => stop.aborted,
        progress: (done, total) => progress.show({ done, total, count: done }),
      }),
    );
    progress.end();
    if (plan === undefined) throw failure("Stopped.");
    io.out(isJson ? `${JSON.stringify(plan, undefined, 2)}\n` : planText(plan));
  } finally {
    progress.end();
    await store.close();
  }
}

function planText({ height, sample, transactions, tables }: SizePlan): string {
  const sum = (of: "bytes" | "indexBytes"): number => tables.reduce((all, table) => all + table[of], 0);
  const total = sum("bytes") + sum("indexBytes");
  const rows = [
    ["Table", "Rows", "Rows' bytes", "Indexes"],
    ...tables.map((one) => [one.table, formatCount(one.rows), sizeText(one.bytes), sizeText(one.indexBytes)]),
    ["Total", "", sizeText(sum("bytes")), sizeText(sum("indexBytes"))],
  ];
  const width = (column: number): number => Math.max(...rows.map((row) => row[column].length));
  const each =
    transactions === 0 ? "" : `, ${formatCount(Math.round(total / transactions))} bytes per transaction`;
  const from = sample === height ? "all blocks" : `${formatCount(sample)} blocks`;
  return `${columns(rows.map((row) => row.map((cell, i) => (i === 0 ? cell : cell.padStart(width(i))))))}
About ${sizeText(total)}${each}, estimated from ${from} of ${formatCount(height)}. Add a third for free space in pages and for
the log of the server (WAL).
`;
}
