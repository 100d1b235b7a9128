import type { ListPage } from "../interfaces.ts";

/** Returns the whole list without a page. */
export function pageOf<T>(list: Iterable<T>, page: Pick<ListPage, "offset" | "limit"> | undefined): T[] {
  if (page === undefined) return [...list];
  const { offset, limit } = page;
  const found: T[] = [];
  if (limit <= 0) return found;
  let seen = 0;
  for (const one of list) {
    if (seen++ < offset) continue;
    found.push(one);
    if (found.length >= limit) break;
  }
  return found;
}

export function pageOfBoth<T>(
  [first, second]: readonly [Iterable<T>, Iterable<T>],
  page: Pick<ListPage, "offset" | "limit"> | undefined,
): [T[], T[]] {
  const both = function* (): Generator<{ readonly of: 0 | 1; readonly one: T }> {
    for (const one of first) yield { of: 0, one };
    for (const one of second) yield { of: 1, one };
  };
  const found: [T[], T[]] = [[], []];
  for (const { of, one } of pageOf(both(), page)) found[of].push(one);
  return found;
}
