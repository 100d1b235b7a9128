import { existsSync } from "node:fs";
import { walletSettings } from "../../config/groups/wallet-settings.ts";
import { InvalidValueError } from "../../config/kinds/kinds.ts";
import { SecretFile } from "../../config/kinds/secret.ts";
import type { Settings } from "../../config/settings.ts";
import { NEW_WALLET_PASSWORD } from "../../config/sources/sources.ts";
import { changePassword, currentPassword } from "../../wallet/open.ts";
import { UsageError } from "../exit-codes.ts";
import { readInput } from "../input.ts";
import type { Io } from "../io.ts";
import { noWalletError, withDataDirLock } from "./wallet-actions.ts";

export interface PasswordFlags {
  readonly newPasswordFile?: string;
}

/** @throws UsageError, which does not quote the password */
function parsePassword(where: string, value: unknown, { profile }: Settings): string {
  try {
    return walletSettings.password.kind.read(value, profile)?.reveal() ?? "";
  } catch (error) {
    if (!(error instanceof InvalidValueError)) throw error;
    throw new UsageError(`${where}: ${error.message}`);
  }
}

function findNewPassword({ newPasswordFile }: PasswordFlags, settings: Settings, io: Io): string | undefined {
  const fromFile = (path: string | undefined): unknown => {
    if (path === undefined || path === "") return undefined;
    return path === "-" ? readInput(path).replace(/\r?\n$/, "") : new SecretFile(path);
  };
  const variableOfFile = `${NEW_WALLET_PASSWORD}_FILE`;
  const given = Object.entries({
    "--new-password-file": fromFile(newPasswordFile),
    [NEW_WALLET_PASSWORD]: io.environment[NEW_WALLET_PASSWORD] || undefined,
    [variableOfFile]: fromFile(io.environment[variableOfFile]),
  }).filter(([, value]) => value !== undefined);
  if (given.length > 1)
    throw new UsageError(`${given.map(([where]) => where).join(" and ")}: give only one of them`);
  return given.length === 0 ? undefined : parsePassword(...given[0], settings);
}

/**
 * Asks for the missing passwords.
 * @throws UsageError without a terminal, or if the two entries of the new password differ
 */
async function askPasswords(
  current: string | undefined,
  next: string | undefined,
  settings: Settings,
  io: Io,
): Promise<{ readonly current: string; readonly next: string }> {
  const prompts = [
    ...(current === undefined ? ["Current password"] : []),
    ...(next === undefined ? ["New password", "New password again"] : []),
  ];
  if (current !== undefined && next !== undefined) return { current, next };
  if (io.askSecrets === undefined)
    throw new UsageError(
      current === undefined
        ? "The current password is missing: give it with --wallet-password-file, or use a terminal"
        : "The new password is missing: give it with --new-password-file, or use a terminal",
    );
  const answers = [...(await io.askSecrets(prompts))];
  const old = current ?? answers.shift() ?? "";
  if (next !== undefined) return { current: old, next };
  const [first, second] = answers;
  if (first !== second)
    throw new UsageError("The two entries of the new password differ: nothing was changed");
  return { current: old, next: parsePassword("The new password", first, settings) };
}

export async function changeWalletPassword(
  flags: PasswordFlags,
  settings: Settings,
  io: Io,
): Promise<string> {
  const { file } = settings.wallet;
  if (settings.wallet.accountSeed !== undefined)
    throw new UsageError("A wallet of one fixed account has no file and no password");
  // The lock would create a data directory.
  if (!existsSync(file)) throw noWalletError(settings);
  return withDataDirLock(settings, io, async () => {
    const given = findNewPassword(flags, settings, io);
    const { current, next } = await askPasswords(await currentPassword(settings), given, settings, io);
    await changePassword(file, current, next, io.walletKeyCost, io.walletKeyCost);
    return (
      `Changed the password of ${file}. The new password is not stored: give it to the node in HOLDFAST_WALLET_PASSWORD_FILE ` +
      "or HOLDFAST_WALLET_PASSWORD.\n"
    );
  });
}
