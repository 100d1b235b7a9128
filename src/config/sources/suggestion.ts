/** Longer names get no suggestion. */
const MAX_NAME_LENGTH = 100;

/** Returns the name with the smallest edit distance, if that is at most 1 or a third of the letters. */
function nearestName(name: string, names: Iterable<string>): string | undefined {
  if (name.length > MAX_NAME_LENGTH) return undefined;
  let best: string | undefined;
  let distanceLimit = Math.max(1, Math.floor(name.length / 3)) + 1;
  for (const candidate of names) {
    if (Math.abs(candidate.length - name.length) >= distanceLimit) continue;
    const distance = editDistance(name, candidate);
    if (distance >= distanceLimit) continue;
    best = candidate;
    distanceLimit = distance;
  }
  return best;
}

/**
 * `; did you mean NAME?` or "".
 * @param prefix common to all names, ignored in the comparison
 */
export function suggestion(name: string, knownNames: Iterable<string>, prefix = ""): string {
  const names = Array.from(knownNames, (knownName) => knownName.slice(prefix.length));
  const found = nearestName(name.slice(prefix.length), names);
  return found === undefined ? "" : `; did you mean ${prefix}${found}?`;
}

/** Counts inserted, deleted, replaced and swapped letters. */
function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      row[j] = Math.min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        row[j] = Math.min(row[j], beforePrevious[j - 2] + 1);
    }
    [beforePrevious, previous] = [previous, row];
  }
  return previous[b.length];
}
