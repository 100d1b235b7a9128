import { encodeBase58 } from "../../bytes/base58.ts";
import { durationText } from "../../bytes/durations.ts";
import type { Settings } from "../../config/settings.ts";
import { parseAddress } from "../../crypto/addresses.ts";
import type { KeyPair } from "../../crypto/signatures.ts";
import type { Log } from "../../interfaces.ts";
import { chainDirectory, networkIdentity, openNodeStore } from "../../node/composition.ts";
import { systemClock } from "../../runtime/system.ts";
import { createSnapshot } from "../../storage/copies/create-snapshot.ts";
import { canRestore, restoreSnapshot, verifySnapshot } from "../../storage/copies/restore-snapshot.ts";
import type { SnapshotManifest, SnapshotSigner } from "../../storage/copies/snapshot-manifest.ts";
import { snapshotSource } from "../../storage/copies/snapshot-source.ts";
import { failure, UsageError } from "../exit-codes.ts";
import type { Io } from "../io.ts";
import { countText, formatCount } from "../numbers.ts";
import { runStoppable } from "../stopping.ts";
import { walletKeys } from "../wallet/tx-keys.ts";
import { requireChain } from "./offline-node.ts";
import { Progress } from "./progress.ts";
import type { TrustFlags } from "./trust-flags.ts";

const NOT_IN_SNAPSHOT =
  "Not in a snapshot: pending anchors and their trees, the wallet, known peers, settings, API keys.\n";

const megabytes = (bytes: number): string => `${formatCount(Math.ceil(bytes / 1e6))} MB`;

function contentText({ height, block, bytes, chunks }: SnapshotManifest): string {
  const compressed = chunks.reduce((sum, chunk) => sum + chunk.bytes, 0);
  return `chain up to height ${formatCount(height)}, block ${block}: ${megabytes(bytes)}, compressed to ${megabytes(compressed)} in ${countText(chunks.length, "chunk")}`;
}

function signerText(signer: SnapshotSigner | undefined): string {
  return signer === undefined
    ? "The snapshot is not signed.\n"
    : `The snapshot is signed with the ${signer.keyType} key ${encodeBase58(signer.publicKey)}.\n`;
}

async function withProgress<T>(
  io: Io,
  label: string,
  work: (
    options: { progress(done: number, total: number): void; isStopped(): boolean },
    stop: AbortSignal,
  ) => Promise<T>,
): Promise<T> {
  const progress = new Progress(io, systemClock, label, "MB");
  return runStoppable(io, (stop) =>
    work(
      {
        isStopped: () => stop.aborted,
        progress: (done, total) => progress.show({ done, total, count: Math.floor(done / 1e6) }),
      },
      stop,
    ),
  ).finally(() => progress.end());
}

async function signingKey(settings: Settings, text: string): Promise<KeyPair> {
  let address: Uint8Array;
  try {
    address = parseAddress(text, settings.profile.chainId);
  } catch {
    throw new UsageError(`--sign: '${text.slice(0, 100)}' is not an address of this network`);
  }
  const keys = await walletKeys(settings);
  try {
    const keyPair = keys.of(address);
    if (keyPair === undefined) throw failure(`The wallet does not hold ${text}`);
    return { ...keyPair, privateKey: Uint8Array.from(keyPair.privateKey) };
  } finally {
    await keys.close();
  }
}

export async function writeSnapshotTo(
  settings: Settings,
  target: string,
  signer: string | undefined,
  io: Io,
): Promise<void> {
  await requireChain(settings);
  const keyPair = signer === undefined ? undefined : await signingKey(settings, signer);
  const manifest = await withProgress(io, "Writing", (options) =>
    createSnapshot(
      {
        target,
        directory: chainDirectory(settings),
        network: networkIdentity(settings.profile),
        reserveBytes: settings.disk.pauseBelowBytes,
        now: systemClock.now(),
        keyPair,
      },
      options,
    ),
  );
  io.out(`Wrote ${target}: ${contentText(manifest)}.\n${signerText(keyPair)}${NOT_IN_SNAPSHOT}`);
}

export async function verifySnapshotAt(settings: Settings, location: string, io: Io): Promise<void> {
  const { manifest, signer } = await withProgress(io, "Verifying", (options, stop) =>
    verifySnapshot(snapshotSource(location, systemClock, stop), networkIdentity(settings.profile), options),
  );
  io.out(`The snapshot is complete: ${contentText(manifest)}.\n${signerText(signer)}`);
}

export async function restoreSnapshotFrom(
  settings: Settings,
  location: string,
  { trustedKey = [], block, trustSource = false }: TrustFlags,
  io: Io,
): Promise<void> {
  const startedAt = systemClock.monotonic();
  const manifest = await withProgress(io, "Restoring", (options, stop) =>
    restoreSnapshot(
      {
        source: snapshotSource(location, systemClock, stop),
        directory: chainDirectory(settings),
        network: networkIdentity(settings.profile),
        trust: { keys: trustedKey, block, isSourceTrusted: trustSource },
        reserveBytes: settings.disk.pauseBelowBytes,
      },
      options,
    ),
  );
  // Opening also upgrades an older format.
  await (await openNodeStore(settings)).close();
  const took = durationText(systemClock.monotonic() - startedAt);
  io.out(`Restored the ${contentText(manifest)}, in ${took}.\n${NOT_IN_SNAPSHOT}`);
}

/** Does nothing if the node has a chain. */
export async function restoreBeforeStart(
  settings: Settings,
  location: string,
  flags: TrustFlags,
  io: Io,
  log: Log,
): Promise<void> {
  if (!canRestore(chainDirectory(settings), networkIdentity(settings.profile))) {
    log.debug("The data directory has a chain, so --snapshot has no effect");
    return;
  }
  log.info(`Restoring the snapshot ${location}`);
  await restoreSnapshotFrom(settings, location, flags, {
    ...io,
    out: (text) => log.info(text.trim().split("\n")[0]),
  });
}
