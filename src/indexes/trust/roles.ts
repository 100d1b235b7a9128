/** Which roles accounts hold. */
import { encodeBase58 } from "../../bytes/base58.ts";
import { bytesEqual } from "../../bytes/compare.ts";
import type { RoleGrant } from "../../interfaces.ts";
import type { Reader } from "../../storage/kv.ts";
import { tables } from "../../storage/tables.ts";
import type { TrustSettings } from "./settings.ts";
import { rootRole } from "./trust-network.ts";

/** What an account was given and holds still, in the order of first grant. Page 07 §9.3. */
export function roleGrantsOf(reader: Reader, address: Uint8Array): readonly RoleGrant[] {
  return reader.get(tables.roles, address) ?? [];
}

/** Roles of an account that the configuration knows: the root's first, then in the order of first grant. */
export function heldRoles(reader: Reader, settings: TrustSettings, address: Uint8Array): readonly string[] {
  const names = new Set<string>();
  if (settings.root !== undefined && bytesEqual(settings.root, address)) names.add(rootRole);
  for (const { role } of roleGrantsOf(reader, address)) names.add(role);
  return [...names].filter((name) => settings.network.has(name));
}

/** Names of the roles that an account may give by an association type. Page 07 §9.3, §15 (BUG-19). */
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

/** The accounts that hold a role by page 07 §9.2. */
export interface RoleHolders {
  /** What decides who they are beside the roles that were given. */
  readonly text: string;
  include(reader: Reader, address: Uint8Array): boolean;
}

/**
 * The accounts that hold a role by the full rule, the root's included, which it has in a network of one role too.
 * Page 07 §7.1.
 */
export function roleHolders(settings: TrustSettings): RoleHolders {
  const { root } = settings;
  return {
    text: `root ${root === undefined ? "nobody" : encodeBase58(root)}`,
    include: (reader, address) => heldRoles(reader, settings, address).length > 0,
  };
}

/** Whether an account was given any role, whatever the configuration says of it; the root counts not. §9.6. */
export function hasRoleGrant(reader: Reader, address: Uint8Array): boolean {
  return reader.get(tables.roles, address) !== undefined;
}
