import { encodeBase58 } from "../../bytes/base58.ts";
import { printJson } from "../../bytes/json.ts";
import type { RoleGrant } from "../../interfaces.ts";
import type { Writer } from "../../storage/kv.ts";
import { tables } from "../../storage/tables.ts";
import { definitionOf } from "../../transactions/index.ts";
import type { ConfiguredIndex } from "../chain-index.ts";
import { issuableRoles, roleGrantsOf } from "./roles.ts";
import type { TrustSettings } from "./settings.ts";

/**
 * Indexes the roles that accounts grant by associations, whose subject, data and expiry have no effect. Page 07 §9.3,
 * §9.4.
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

/** No role can be granted if the network has only one. Page 07 §9.1. */
function isIdle({ network }: TrustSettings): boolean {
  return network.size < 2;
}

function textOf(settings: TrustSettings): string {
  if (isIdle(settings)) return "idle";
  const { network, root } = settings;
  const roles = [...network].map(([name, { issues }]) => [
    name,
    issues.map(({ type, role }) => [type, role]),
  ]);
  return printJson([root === undefined ? null : encodeBase58(root), roles]);
}

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

/** Any account that can grant a role can revoke it. Page 07 §9.4. */
function revoke(writer: Writer, recipient: Uint8Array, roles: readonly string[]): void {
  const held = writer.get(tables.roles, recipient);
  if (held === undefined) return;
  const remaining = held.filter(({ role }) => !roles.includes(role));
  if (remaining.length === 0) writer.remove(tables.roles, recipient);
  else if (remaining.length < held.length) writer.put(tables.roles, recipient, remaining);
}
