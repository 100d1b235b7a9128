import type { ListPage } from "../interfaces.ts";

export function pageOf<T>(list: Iterable<T>, page: Pick<ListPage, "offset" | "limit"> | undefined): T[] {
  if (page === undefined) return [...list];
  const { offset, limit } = page;
  const found: T[] = [];
  if (limit <= 0) return found;
  let index = 0;
  for (const item of list) {
    if (index++ < offset) continue;
    found.push(item);
    if (found.length >= limit) break;
  }
  return found;
}

/** The second list follows the first. */
export function pageOfBoth<T>(
  [first, second]: readonly [Iterable<T>, Iterable<T>],
  page: Pick<ListPage, "offset" | "limit"> | undefined,
): [T[], T[]] {
  const both = function* (): Generator<{ readonly list: 0 | 1; readonly item: T }> {
    for (const item of first) yield { list: 0, item };
    for (const item of second) yield { list: 1, item };
  };
  const found: [T[], T[]] = [[], []];
  for (const { list, item } of pageOf(both(), page)) found[list].push(item);
  return found;
}
