import { genesisBlock } from "../../../blocks/genesis.ts";
import { reasonOf } from "../../../bytes/errors.ts";
import { chainStart } from "../../../chain/reading/changes.ts";
import { chainReader } from "../../../chain/snapshot.ts";
import type { Settings } from "../../../config/settings.ts";
import type { ChainCursor, ChainReader } from "../../../interfaces.ts";
import { chainDirectory, networkIdentity } from "../../../node/composition.ts";
import { networkOf } from "../../../node/following/run-follower.ts";
import { offlineContext } from "../../../node/mirroring/mirrored-node.ts";
import { connectPostgres } from "../../../postgres/connection/pg-connection.ts";
import { parsePostgresUrl, readPassword } from "../../../postgres/connection/postgres-url.ts";
import type { SqlConnection } from "../../../postgres/connection/sql-connection.ts";
import { type NetworkIdentity, requireSchema } from "../../../postgres/schema/inspect.ts";
import { readDescription } from "../../../postgres/units/postgres-unit-source.ts";
import { readUnitPage } from "../../../postgres/units/unit-page.ts";
import { type VerifyUnitsOptions, verifyUnits } from "../../../postgres/units/verify-units.ts";
import { systemClock } from "../../../runtime/system.ts";
import { openStore } from "../../../storage/store.ts";
import { UnitSourceError } from "../../../units/source-error.ts";
import { failure } from "../../exit-codes.ts";
import type { Io } from "../../io.ts";
import { countText } from "../../numbers.ts";
import { runStoppable } from "../../stopping.ts";
import { requireChain } from "../offline-node.ts";
import { Progress } from "../progress.ts";

/**
 * @param network the one that the database must contain; undefined: any
 * @throws CommandError for rows that a gateway would refuse
 */
async function withDatabase<T>(
  { gateway: { password } }: Settings,
  url: string,
  network: NetworkIdentity | undefined,
  io: Io,
  work: (sql: SqlConnection) => Promise<T>,
): Promise<T> {
  const sql = await connectPostgres(parsePostgresUrl(url), {
    clock: systemClock,
    password: password?.reveal() ?? readPassword(undefined, io.environment),
    applicationName: "holdfast gateway verify",
    // The server may read a page from a slow disk.
    deadlineMs: 60_000,
  });
  try {
    await requireSchema(sql, network);
    return await work(sql);
  } catch (error) {
    if (error instanceof UnitSourceError) throw failure(reasonOf(error));
    throw error;
  } finally {
    await sql.close();
  }
}

/**
 * Returns the network's name in the first database of the settings.
 * @throws CommandError for a network without a name
 */
export function networkInDatabase(settings: Settings, io: Io): Promise<string> {
  return withDatabase(settings, settings.gateway.from[0], undefined, io, async (sql) => {
    const found = networkOf(await readDescription(sql, await readUnitPage(sql, chainStart, false)));
    if (!found.ok) throw failure(`${sql.name}: ${found.error}`);
    return found.value;
  });
}

/** @throws CommandError if there are differences */
export async function verifyGateway(settings: Settings, io: Io): Promise<void> {
  await requireChain(settings);
  const { profile, index, gateway } = settings;
  const trust = { network: index.trustNetwork, root: undefined };
  const store = await openStore(chainDirectory(settings), {
    network: networkIdentity(profile),
    readOnly: true,
  });
  const reader = chainReader(store, offlineContext(settings, trust));
  try {
    const identity = { name: profile.networkName, genesis: genesisBlock(profile).signature };
    for (const url of gateway.from)
      await withDatabase(settings, url, identity, io, (sql) => compare(sql, reader, io));
  } finally {
    await store.close();
  }
}

async function compare(sql: SqlConnection, reader: ChainReader, io: Io): Promise<void> {
  const progress = new Progress(io, systemClock, "Comparing", "units");
  const showProgress: VerifyUnitsOptions["progress"] = ({ height, total, units }) =>
    progress.show({ done: height, total, count: units, height });
  const found = await runStoppable(io, (stop) =>
    verifyUnits(sql, { reader, isStopped: () => stop.aborted, progress: showProgress }),
  ).finally(() => progress.end());
  const { faults, units, digests, common, own, theirs, outcome } = found;
  const checked = `${countText(units, "unit")}, ${countText(digests, "digest")}`;
  for (const { unit, problem } of faults) io.out(`unit ${unitText(unit)}: ${problem}\n`);
  io.out(
    `${sql.name}: newest common unit ${unitText(common)}, gateway ${unitText(own)}, database ${unitText(theirs)}\n`,
  );
  if (faults.length > 0)
    throw failure(
      `The gateway's units differ from those of the database. Compared: ${checked}. \`holdfast mirror verify\` ` +
        "compares the database with the node. To fill the gateway again, stop it and delete its folder.",
    );
  if (outcome === "stopped") throw failure(`Stopped after ${checked}.`);
  if (outcome === "moved")
    throw failure(`Units left the chain during the comparison. Repeat the command. Compared: ${checked}.`);
  if (outcome === "other branch")
    throw failure("Gateway and database are on different branches: let the gateway follow first.");
  io.out(`No differences: ${checked}.\n`);
}

function unitText({ height, sequence }: ChainCursor): string {
  return `${height}.${sequence}`;
}
