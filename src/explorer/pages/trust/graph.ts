import type { Answer } from "../../../client/index.ts";
import type { PageContext } from "../../page.ts";
import type { GraphEdge, GraphNode } from "../../parts/charts/graph-layout.ts";
import { toListPage } from "../../parts/lists/long-table.tsx";

type Holder = Answer<"GET /roles">["accounts"][number];

export interface Grant {
  readonly holder: string;
  readonly role: string;
  readonly sender: string;
  readonly type: bigint;
}

/** The node's settings assign this role. */
export const ROOT_ROLE = "root";

export function grantsOf(holders: readonly Holder[]): readonly Grant[] {
  return holders.flatMap(({ address, roles }) =>
    roles.map(({ role, sender, type }) => ({ holder: address, role, sender, type })),
  );
}

const PAGE_SIZE = 1_000;

export type TrustData = Awaited<ReturnType<typeof loadGrants>>;

/** @throws the client's errors */
export async function loadGrants({ node }: PageContext, cursor?: string) {
  const answer = await node.client.callWithHeaders("GET /roles", { query: { limit: PAGE_SIZE, cursor } });
  const { root, accounts } = answer.value;
  const { rows, next } = toListPage({ value: grantsOf(accounts), header: (name) => answer.header(name) });
  return { root: root ?? undefined, grants: rows, next };
}

/** Returns the accounts that the root trusts, with the grants that lead from the root to each, nearest first. */
function pathsFromRoot(
  grants: readonly Grant[],
  root: string | undefined,
): ReadonlyMap<string, readonly Grant[]> {
  const paths = new Map<string, readonly Grant[]>(root === undefined ? [] : [[root, []]]);
  // The loop also visits the accounts that it adds.
  for (const [sender, path] of paths)
    for (const grant of grants)
      if (grant.sender === sender && !paths.has(grant.holder)) paths.set(grant.holder, [...path, grant]);
  return paths;
}

/** Returns the grants that lead from the root to an account, in that order; undefined if there is no such path. */
export const pathFromRoot = (
  grants: readonly Grant[],
  root: string | undefined,
  address: string,
): readonly Grant[] | undefined => pathsFromRoot(grants, root).get(address);

type Groups = Map<string, Set<string>>;

function groupPairs(pairs: readonly (readonly [key: string, value: string])[]): Groups {
  const groups: Groups = new Map();
  for (const [key, value] of pairs) groups.set(key, (groups.get(key) ?? new Set()).add(value));
  return groups;
}

export function rolesOf(
  grants: readonly Grant[],
): readonly { readonly role: string; readonly count: number }[] {
  return [...groupPairs(grants.map(({ role, holder }) => [role, holder]))]
    .map(([role, { size }]) => ({ role, count: size }))
    .sort((a, b) => (a.role < b.role ? -1 : 1));
}

export function rolesByAccount(grants: readonly Grant[], root: string | undefined): Groups {
  const pairs = grants.map(({ holder, role }) => [holder, role] as const);
  return groupPairs(root === undefined ? pairs : [[root, ROOT_ROLE], ...pairs]);
}

/**
 * Builds a graph with accounts ranked by their distance from the root; unreached accounts come last.
 * @param role limits the graph to grants of this role
 */
export function buildTrustGraph(
  grants: readonly Grant[],
  root: string | undefined,
  role?: string | undefined,
): { readonly nodes: readonly GraphNode[]; readonly edges: readonly GraphEdge[] } {
  const shown = role === undefined ? grants : grants.filter((grant) => grant.role === role);
  const paths = pathsFromRoot(grants, root);
  const lastRank = Math.max(0, ...Array.from(paths.values(), ({ length }) => length)) + 1;
  const ids = new Set(shown.flatMap(({ sender, holder }) => [sender, holder]));
  if (root !== undefined && (role === undefined || role === ROOT_ROLE)) ids.add(root);
  return {
    nodes: [...ids].map((id) => ({ id, rank: paths.get(id)?.length ?? lastRank })),
    edges: shown.map(({ sender, holder, role: label }) => ({ from: sender, to: holder, label })),
  };
}
