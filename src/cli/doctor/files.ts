/** These checks open neither the store nor the wallet. */
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { reasonOf } from "../../bytes/errors.ts";
import type { Settings } from "../../config/settings.ts";
import { chainDirectory, hasNoStore, networkIdentity } from "../../node/composition.ts";
import { dataFile, prepareDirectory } from "../../storage/disk/directory.ts";
import { exposedFiles, passwordPath } from "../../wallet/open.ts";
import { type Check, ok, problem, warning } from "./check.ts";
import { nearestExisting } from "./machine.ts";

const { R_OK, W_OK, X_OK } = constants;
const GROUP_OR_OTHERS_WRITE = 0o022;

function accessFault(path: string, mode: number): string | undefined {
  try {
    accessSync(path, mode);
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

const OWNER_ADVICE = "Run doctor and the node as the owner of the directory, or change the owner.";

export async function dataDirectoryCheck(
  settings: Pick<Settings, "dataDir" | "profile">,
  useText: string,
): Promise<Check> {
  const name = "Data";
  const { dataDir } = settings;
  const existing = nearestExisting(dataDir);
  if (!statSync(existing).isDirectory())
    return problem(name, `${existing} is a file.`, "Choose a directory with --data-dir.");
  const fault = accessFault(existing, R_OK | W_OK | X_OK);
  if (fault !== undefined) return problem(name, `Cannot use ${dataDir}: ${fault}.`, OWNER_ADVICE);
  if (existing !== dataDir) return ok(name, `${dataDir} does not exist yet: the node creates it`);
  try {
    const directory = chainDirectory(settings);
    if (await hasNoStore(settings)) return ok(name, `${dataDir} has no chain yet, ${useText}`);
    prepareDirectory(directory, networkIdentity(settings.profile), false);
    for (const path of [directory, dataFile(directory)]) accessSync(path, R_OK | W_OK);
  } catch (error) {
    return problem(name, `${reasonOf(error)}.`, "docs/troubleshoot.md explains exit code 4.");
  }
  if (process.platform !== "win32" && (statSync(dataDir).mode & GROUP_OR_OTHERS_WRITE) !== 0)
    return warning(name, `Other users may write into ${dataDir}.`, `Run \`chmod go-w ${dataDir}\`.`);
  return ok(name, `${dataDir} has a chain, ${useText}`);
}

export function walletCheck({ wallet }: Pick<Settings, "wallet">): Check {
  const name = "Wallet";
  if (wallet.accountSeed !== undefined) return ok(name, "one fixed account of the settings, without a file");
  const { file } = wallet;
  if (!existsSync(file)) return ok(name, `${file} does not exist yet: the node creates it`);
  const password = passwordPath(file);
  const needsPassword = wallet.password === undefined;
  if (needsPassword && !existsSync(password))
    return problem(
      name,
      `The password of ${file} is missing: ${password} does not exist.`,
      "Restore this file from a backup, or set --wallet-password-file.",
    );
  for (const path of needsPassword ? [file, password] : [file]) {
    const fault = accessFault(path, R_OK);
    if (fault !== undefined) return problem(name, `Cannot read ${path}: ${fault}.`, OWNER_ADVICE);
  }
  const exposed = exposedFiles(file);
  if (exposed.length === 0) return ok(name, `${file} is readable only by its owner`);
  return warning(
    name,
    `Other users of this machine may read or write ${exposed.join(" and ")}.`,
    `Run \`chmod 600 ${exposed.join(" ")}\`.`,
  );
}
