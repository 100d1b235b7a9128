/** Who holds which role, as rows of a list and as boxes with lines between them. */
import type { Answer } from "../../../client/index.ts";
import type { GraphEdge, GraphNode } from "../../parts/charts/graph-layout.ts";

type Holder = Answer<"GET /roles">["accounts"][number];

export interface Grant {
  readonly holder: string;
  readonly role: string;
  readonly sender: string;
  /** Association type by which it was given. */
  readonly type: bigint;
}

/** The role that comes with the configuration. */
export const ROOT_ROLE = "root";

/** The grants of all holders, one by one. */
export function grantsOf(holders: readonly Holder[]): readonly Grant[] {
  return holders.flatMap(({ address, roles }) =>
    roles.map(({ role, sender, type }) => ({ holder: address, role, sender, type })),
  );
}

/** The names of the roles, and how many hold each. */
export function rolesOf(
  grants: readonly Grant[],
): readonly { readonly role: string; readonly count: number }[] {
  const holders = new Map<string, Set<string>>();
  for (const { role, holder } of grants) holders.set(role, (holders.get(role) ?? new Set()).add(holder));
  return [...holders]
    .map(([role, { size }]) => ({ role, count: size }))
    .sort((a, b) => (a.role < b.role ? -1 : 1));
}

/** The roles of each account, the root's first. */
export function rolesByAccount(
  grants: readonly Grant[],
  root: string | undefined,
): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>(root === undefined ? [] : [[root, new Set([ROOT_ROLE])]]);
  for (const { holder, role } of grants) {
    const roles = found.get(holder);
    if (roles === undefined) found.set(holder, new Set([role]));
    else roles.add(role);
  }
  return found;
}

interface TrustGraph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

/**
 * The accounts in columns by how many gave before them: the root first, then those that it gave roles, and so on. Who
 * was given a role by nobody that is reached from there stands behind all others.
 * @param role draws only those that were given it, and who gave it to them
 */
export function buildTrustGraph(
  grants: readonly Grant[],
  root: string | undefined,
  role?: string | undefined,
): TrustGraph {
  const shown = role === undefined ? grants : grants.filter((grant) => grant.role === role);
  const ranks = new Map<string, number>(root === undefined ? [] : [[root, 0]]);
  const given = new Map<string, string[]>();
  for (const { sender, holder } of grants) {
    const holders = given.get(sender);
    if (holders === undefined) given.set(sender, [holder]);
    else holders.push(holder);
  }
  let reached = root === undefined ? [] : [root];
  for (let rank = 1; reached.length > 0; rank++) {
    const next: string[] = [];
    for (const sender of reached)
      for (const holder of given.get(sender) ?? [])
        if (!ranks.has(holder)) {
          ranks.set(holder, rank);
          next.push(holder);
        }
    reached = next;
  }
  const last = Math.max(0, ...ranks.values()) + 1;
  const ids = new Set(shown.flatMap(({ sender, holder }) => [sender, holder]));
  if (root !== undefined && (role === undefined || role === ROOT_ROLE)) ids.add(root);
  return {
    nodes: [...ids].map((id) => ({ id, rank: ranks.get(id) ?? last })),
    edges: shown.map(({ sender, holder, role: label }) => ({ from: sender, to: holder, label })),
  };
}
