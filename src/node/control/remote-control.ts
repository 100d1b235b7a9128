/** Opens the control port for gateways. */
import { readFile } from "node:fs/promises";
import { listenForControl } from "../../api/ports/remote-control.ts";
import { SettingsError } from "../../config/errors.ts";
import type { Settings } from "../../config/settings.ts";
import type { NodeControlHandlers } from "../../control/index.ts";
import type { Clock, Log } from "../../interfaces.ts";
import { exposedText, isExposed } from "../../runtime/exposed-file.ts";
import { rateLimitedLog } from "../../runtime/rate-limited-log.ts";
import type { TaskQueue } from "../../runtime/time-sliced-queue.ts";

interface Parts {
  readonly control: NodeControlHandlers;
  readonly clock: Clock;
  readonly log: Log;
  readonly queue: TaskQueue;
}

const MAX_PEM_BYTES = 2 ** 20;

/** @throws SettingsError naming the setting */
async function readPem(setting: string, path: string): Promise<string> {
  try {
    const bytes = await readFile(path);
    if (bytes.length > MAX_PEM_BYTES) throw new Error(`it has more than ${MAX_PEM_BYTES} bytes`);
    return bytes.toString("latin1");
  } catch (error) {
    throw new SettingsError([`${setting}: cannot read ${path}: ${(error as Error).message}`]);
  }
}

/**
 * Returns undefined without `control-port`.
 * @throws SettingsError for an unreadable or invalid certificate or key; ListenFailure
 */
export async function openControlPort(
  { port, host, certificate, certificateKey, token }: Settings["control"],
  parts: Parts,
): Promise<{ readonly port: number; close(): Promise<void> } | undefined> {
  if (port === undefined) return undefined;
  // `config/load.ts` requires these settings.
  if (certificate === undefined || certificateKey === undefined || token === undefined)
    throw new Error("The control port has no certificate, key or token");
  const { log } = parts;
  if (isExposed(certificateKey)) log.warn(exposedText(certificateKey));
  const pem = {
    certificate: await readPem("control-certificate", certificate),
    key: await readPem("control-certificate-key", certificateKey),
  };
  try {
    return await listenForControl({
      ...parts,
      ...pem,
      host,
      port,
      token: token.reveal(),
      // Callers without the token cause log lines too.
      log: rateLimitedLog(log, parts.clock),
    });
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    if (!code.startsWith("ERR_OSSL") && !code.startsWith("ERR_TLS")) throw error;
    throw new SettingsError([`control-certificate: certificate and key are not usable: ${message}`]);
  }
}
