/** Parts of lists: what is asked for page by page. */
import type { AssociationInfo, AssociationPlace, ListPage } from "../../interfaces.ts";

/** What a page has of a list that begins behind its place; all of it unless a page is given. */
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

/** The same of two lists in a row. */
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

/** Those elements of a list. */
export function* matching<T>(list: Iterable<T>, isWanted: (one: T) => boolean): Generator<T> {
  for (const one of list) if (isWanted(one)) yield one;
}

/** The associations behind a place of one of the two lists. */
export function associationsBehind(
  list: AssociationPlace["list"],
  associations: readonly AssociationInfo[],
  after: AssociationPlace | undefined,
): readonly AssociationInfo[] {
  if (after === undefined || (after.list === "outgoing" && list === "incoming")) return associations;
  if (after.list !== list) return [];
  return associations.filter(({ height, position }) => {
    return height > after.height || (height === after.height && position > after.position);
  });
}
