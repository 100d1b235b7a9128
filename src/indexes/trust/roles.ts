import { encodeBase58 } from "../../bytes/base58.ts";
import { bytesEqual } from "../../bytes/compare.ts";
import type { RoleGrant } from "../../interfaces.ts";
import type { Reader } from "../../storage/kv.ts";
import { tables } from "../../storage/tables.ts";
import type { TrustSettings } from "./settings.ts";
import { rootRole } from "./trust-network.ts";

/** Ordered by the first grant of each role. Page 07 §9.3. */
export function roleGrantsOf(reader: Reader, address: Uint8Array): readonly RoleGrant[] {
  return reader.get(tables.roles, address) ?? [];
}

/** Returns roles in the trust network: the root role, then granted roles. */
export function heldRoles(reader: Reader, settings: TrustSettings, address: Uint8Array): readonly string[] {
  const names = new Set<string>();
  if (settings.root !== undefined && bytesEqual(settings.root, address)) names.add(rootRole);
  for (const { role } of roleGrantsOf(reader, address)) names.add(role);
  return [...names].filter((name) => settings.network.has(name));
}

/** Returns the roles that the sender grants with an association of a type. Page 07 §9.3, §15 (BUG-19). */
export function issuableRoles(
  reader: Reader,
  settings: TrustSettings,
  sender: Uint8Array,
  type: bigint,
): string[] {
  const names = new Set<string>();
  for (const name of heldRoles(reader, settings, sender)) {
    for (const issue of settings.network.get(name)?.issues ?? []) {
      if (issue.type === type) names.add(issue.role);
    }
  }
  return [...names];
}

export interface RoleHolders {
  /** The settings that affect the result, for `Configuration.text`. */
  readonly text: string;
  includes(reader: Reader, address: Uint8Array): boolean;
}

/** Includes addresses that hold only the root role. Page 07 §7.1. */
export function roleHolders(settings: TrustSettings): RoleHolders {
  const { root } = settings;
  return {
    text: `root ${root === undefined ? "nobody" : encodeBase58(root)}`,
    includes: (reader, address) => heldRoles(reader, settings, address).length > 0,
  };
}

/** True also for roles outside the trust network, but not for the root role, which is not granted. Page 07 §9.6. */
export function hasRoleGrant(reader: Reader, address: Uint8Array): boolean {
  return reader.get(tables.roles, address) !== undefined;
}
