import { encodeBase58 } from "../../bytes/base58.ts";
import { bytesEqual } from "../../bytes/compare.ts";
import { printJson } from "../../bytes/json.ts";
import type { RoleGrant, RoleHolder, TrustRoles } from "../../interfaces.ts";
import type { Reader, Writer } from "../../storage/kv.ts";
import { tables } from "../../storage/tables.ts";
import { definitionOf } from "../../transactions/index.ts";
import type { RoleHolders } from "../anchors/write.ts";
import type { ConfiguredIndex } from "../chain-index.ts";
import { rootRole, type TrustNetwork } from "./trust-network.ts";

/** The trust network as configured, and who stands at its root. */
export interface TrustSettings {
  readonly network: TrustNetwork;
  /** Address of the root account: the oldest of the wallet unless configured; undefined: nobody. Page 07 §9.1. */
  readonly root: Uint8Array | undefined;
}

/**
 * Roles that accounts give each other by associations. Page 07 §9.3, §9.4. Subject, data and expiry of the
 * association play no part.
 */
export function trustIndex(settings: TrustSettings): ConfiguredIndex {
  return {
    configuration: { names: ["trust"], text: textOf(settings) },
    apply(writer, unit) {
      if (isIdle(settings)) return;
      for (const { transaction } of unit.transactions) {
        const { association } = definitionOf(transaction);
        if (association === undefined) continue;
        const { senderAddress: sender } = transaction;
        const { associationType: type, recipient } = association.terms(transaction);
        const roles = issuableRoles(writer, settings, sender, type);
        if (roles.length === 0) continue;
        if (association.revokes) revoke(writer, recipient, roles);
        else if (type !== 0n) grant(writer, recipient, sender, type, roles);
      }
    },
  };
}

/** A network of one role has nothing to give. Page 07 §9.1. */
function isIdle({ network }: TrustSettings): boolean {
  return network.size < 2;
}

/** What the roles of accounts depend on: who stands at the root, and which role issues which others. */
function textOf(settings: TrustSettings): string {
  if (isIdle(settings)) return "idle";
  const { network, root } = settings;
  const roles = [...network].map(([name, { issues }]) => [
    name,
    issues.map(({ type, role }) => [type, role]),
  ]);
  return printJson([root === undefined ? null : encodeBase58(root), roles]);
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

/** A role granted again keeps its place. */
function grant(
  writer: Writer,
  recipient: Uint8Array,
  sender: Uint8Array,
  type: bigint,
  roles: readonly string[],
): void {
  const held = new Map<string, RoleGrant>(
    roleGrantsOf(writer, recipient).map((granted) => [granted.role, granted]),
  );
  for (const role of roles) held.set(role, { role, sender, type });
  writer.put(tables.roles, recipient, [...held.values()]);
}

/** Any holder of the power to give a role may take it. Page 07 §9.4. */
function revoke(writer: Writer, recipient: Uint8Array, roles: readonly string[]): void {
  const held = writer.get(tables.roles, recipient);
  if (held === undefined) return;
  const left = held.filter(({ role }) => !roles.includes(role));
  if (left.length === 0) writer.remove(tables.roles, recipient);
  else if (left.length < held.length) writer.put(tables.roles, recipient, left);
}

/** Roles of an account that the configuration knows: the root's first, then in the order of first grant. */
function heldRoles(reader: Reader, settings: TrustSettings, address: Uint8Array): readonly string[] {
  const names = new Set<string>();
  if (settings.root !== undefined && bytesEqual(settings.root, address)) names.add(rootRole);
  for (const { role } of roleGrantsOf(reader, address)) names.add(role);
  return [...names].filter((name) => settings.network.has(name));
}

/** What `GET /trust/:address` shows. Page 07 §9.2: entries of `issues_roles` are listed once for each role name. */
export function trustRolesOf(reader: Reader, settings: TrustSettings, address: Uint8Array): TrustRoles {
  const roles = heldRoles(reader, settings, address);
  const issuesRoles = new Map<string, { readonly type: bigint; readonly role: string }>();
  const issuesAuthorization = new Set<string>();
  for (const name of roles) {
    const { issues = [], authorization = [] } = settings.network.get(name) ?? {};
    for (const issue of issues) if (!issuesRoles.has(issue.role)) issuesRoles.set(issue.role, issue);
    for (const uri of authorization) issuesAuthorization.add(uri);
  }
  return { roles, issuesRoles: [...issuesRoles.values()], issuesAuthorization: [...issuesAuthorization] };
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

/** What an account was given and holds still, in the order of first grant. Page 07 §9.3. */
export function roleGrantsOf(reader: Reader, address: Uint8Array): readonly RoleGrant[] {
  return reader.get(tables.roles, address) ?? [];
}

/** Who was given roles and holds them still, in the order of the addresses' bytes. @param after only those behind it */
export function* roleHoldersOf(reader: Reader, after?: Uint8Array): Generator<RoleHolder> {
  const range = after && { from: after };
  for (const [address, grants] of reader.range(tables.roles, range))
    if (after === undefined || !bytesEqual(address, after)) yield { address: address.slice(), grants };
}

/** Whether an account was given any role, whatever the configuration says of it; the root counts not. §9.6. */
export function wasGivenRole(reader: Reader, address: Uint8Array): boolean {
  return reader.get(tables.roles, address) !== undefined;
}
