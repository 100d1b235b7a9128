import { rmSync } from "node:fs";
import type { Command } from "commander";
import { durationText } from "../../bytes/durations.ts";
import type { Settings } from "../../config/settings.ts";
import { systemClock } from "../../runtime/system.ts";
import { failure } from "../exit-codes.ts";
import type { Io } from "../io.ts";
import { countText, formatCount } from "../numbers.ts";
import { addSettings, settingsOf } from "../options.ts";
import { runStoppable } from "../stopping.ts";
import { addThreadsOption } from "./import.ts";
import { Progress } from "./progress.ts";
import { warningLog } from "./warnings.ts";

const about = `
Applies the stored blocks to an empty chain, with every signature and every rule, and compares the result with the
store row by row: balances, scripts, data, indexes, look-ups. It takes as long as an import of the chain. While it
runs, <data-dir>/verify.tmp needs as much space as the chain. The command changes the store in two cases: it upgrades
an older format, and if there are no faults, it marks all blocks as checked.

With --signatures, checks only the signatures and scripts that an import with --assume-valid skipped; that needs no
additional disk space. The command names the first wrong block. After a stop, repeat the command to continue.
No node may use the data directory at the same time.

Exit codes: 0: no faults, 1: faults.

Examples:
  $ holdfast verify --network mainnet
  $ holdfast verify --signatures --network mainnet
  $ holdfast verify --data-dir /var/lib/holdfast --network testnet
`;

export function verifyCommand(program: Command, io: Io): void {
  const command = program
    .command("verify")
    .description("check all signatures, blocks and stored rows")
    .option("--signatures", "check only the signatures that an import with --assume-valid skipped")
    .addHelpText("after", about);
  addThreadsOption(command);
  addSettings(command, "node", "wallet", "chain", "index", "anchoring").action(async () => {
    const { settings } = await settingsOf(command, io);
    const { threads, signatures } = command.opts<{ threads: number; signatures?: true }>();
    const work = signatures === true ? verifySkippedSignatures : verify;
    await runStoppable(io, (stop) => work(settings, threads, io, stop));
  });
}

async function verifySkippedSignatures(
  settings: Settings,
  threads: number,
  io: Io,
  stop: AbortSignal,
): Promise<void> {
  const { verifySignatures } = await import("../../chain/jobs/verify-signatures.ts");
  const { removeUnchecked, uncheckedBlocks, uncheckedRecord, writeUnchecked } = await import(
    "../../chain/reading/unchecked.ts"
  );
  const { requireChain, withOfflineNode } = await import("./offline-node.ts");
  await requireChain(settings);
  const progress = new Progress(io, systemClock, "Checking", "transactions");
  const check = { threads, signal: stop };
  await withOfflineNode(settings, io, check, async ({ chain, environment: { store } }, verifier) => {
    const range = store.read(uncheckedBlocks);
    if (range === undefined) {
      io.out("No unchecked blocks: every signature was checked when its block was applied.\n");
      return;
    }
    const record = { ...store.read(uncheckedRecord), ...range };
    const stored = store.snapshot();
    try {
      const { outcome, checkedTo, blocks, transactions, wrong } = await verifySignatures(
        stored,
        chain.rules,
        settings.profile,
        range,
        {
          verifier,
          isStopped: () => stop.aborted,
          progress: ({ height, transactions: count, done, total }) =>
            progress.show({ done, total, count, height }),
        },
      );
      progress.end();
      const checked = `${countText(blocks, "block")}, ${countText(transactions, "transaction")}`;
      store.write((batch) =>
        outcome === "right"
          ? removeUnchecked(batch)
          : writeUnchecked(batch, { ...record, from: checkedTo + 1, isFirstInvalid: outcome === "wrong" }),
      );
      if (wrong !== undefined)
        throw failure(
          `Block ${wrong.height} is invalid: ${wrong.reason}. This store has an invalid chain: do not use it. ` +
            `Remove the block and all later ones with \`holdfast rollback ${wrong.height - 1}\`, or import another file ` +
            "into an empty directory, without --assume-valid.",
        );
      if (outcome === "stopped") throw failure(`Stopped after ${checked}. Repeat the command to continue.`);
      io.out(`All signatures are valid: ${checked}, in ${durationText(progress.elapsed)}.\n`);
    } finally {
      progress.end();
      stored.close();
    }
  });
}

async function verify(settings: Settings, threads: number, io: Io, stop: AbortSignal): Promise<void> {
  const { verifyStore } = await import("../../chain/jobs/verify.ts");
  const { requireChain, noChainError, withOfflineNode, temporaryFolder } = await import("./offline-node.ts");
  const { openNodeStore } = await import("../../node/composition.ts");
  const { removeUnchecked } = await import("../../chain/reading/unchecked.ts");
  const { tables } = await import("../../storage/tables.ts");
  // Opening the store would create a missing one.
  await requireChain(settings);
  // Opening the chain would add missing rows.
  const store = await openNodeStore(settings, { log: warningLog(io) });
  const folder = temporaryFolder(settings, "verify");
  const state = store.snapshot();
  if (state.get(tables.tip, undefined) === undefined && state.get(tables.headers, 1) === undefined) {
    state.close();
    await store.close();
    throw noChainError(settings);
  }
  rmSync(folder, { recursive: true, force: true });
  const progress = new Progress(io, systemClock, "Verifying", "transactions");
  const comparison = new Progress(io, systemClock, "Comparing", "tables");
  try {
    await withOfflineNode(
      settings,
      io,
      { threads, directory: folder, signal: stop },
      async ({ chain, environment }, verifier) => {
        const result = await verifyStore(state, chain, environment.store, settings.profile, {
          verifier,
          isStopped: () => stop.aborted,
          progress: ({ height, transactions, done, total }) =>
            progress.show({ done, total, count: transactions, height }),
          onCompare: ({ done, total }) => {
            progress.end();
            comparison.show({ done, total, count: done, height: chain.tip.height });
          },
        });
        comparison.end();
        progress.end();
        const { outcome, faults, unlisted, blocks, transactions, rows, outdated } = result;
        const checked = `${countText(blocks, "block")}, ${countText(transactions, "transaction")}, ${countText(rows, "row")}`;
        if (outcome === "stopped") throw failure(`Stopped after ${checked}.`);
        if (outdated.length > 0)
          io.err(
            `Not compared, because incomplete or built with other settings: ${outdated.join(", ")}. The next start builds them.\n`,
          );
        if (outcome === "right") {
          store.write(removeUnchecked);
          io.out(`No faults: ${checked}, in ${durationText(progress.elapsed)}.\n`);
          return;
        }
        for (const { table, key, problem } of faults) io.out(`${table}: ${key}: ${problem}\n`);
        if (unlisted > 0) io.out(`… and ${formatCount(unlisted)} more\n`);
        throw failure(
          `${countText(faults.length + unlisted, "fault")}. Checked: ${checked}. To repair them, export the blocks and import them into an empty directory.`,
        );
      },
    );
  } finally {
    comparison.end();
    progress.end();
    state.close();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
