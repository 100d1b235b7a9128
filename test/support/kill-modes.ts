/** What an operator may change between two runs of a node: the set of indexes, and how hashes are anchored. */
import type { SeededRandom } from "../../src/testing/seeded-random.ts";

const whose = ["none", "trust", "all"] as const;

/** Roles that the feed's associations grant, so that the indexes of roles have content. */
const trustNetworks = [
  '{"root":{"issues":[{"type":1,"role":"member"}]},"member":{"issues":[{"type":2,"role":"guest"}]},"guest":{}}',
  '{"root":{"issues":[{"type":3,"role":"member"}]},"member":{}}',
];

/** All indexes, and hashes sent with the next block. */
export const everything: readonly string[] = ["--anchor-batch", "batch"];

/** Flags of a run: some indexes and one way to anchor. */
export function randomModes(random: SeededRandom): readonly string[] {
  const switched = ["identities", "transactions", "statistics", "generators"].filter(() => random.chance(30));
  return [
    ...["anchors", "associations", "credentials", "disputes"].flatMap((name) => [
      `--index-${name}`,
      random.pick(whose),
    ]),
    ...switched.map((name) => `--no-index-${name}`),
    ...(random.chance(50) ? ["--trust-network", random.pick(trustNetworks)] : []),
    ...["--anchor-batch", random.pick(["off", "batch", "merkle"])],
    ...["--anchor-tree-interval", "300ms"],
  ];
}
