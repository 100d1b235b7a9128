/** The explorer in a real browser, over a whole node with some of everything on its chain, hostile texts among it. */
import { expect, test } from "vitest";
import { definitions } from "../../src/transactions/index.ts";
import { ExplorerNode } from "./support/explorer-node.ts";
import { tellStory } from "./support/story.ts";

test("the chain has a transaction of every type, and they survive a fork and a restart", async () => {
  const node = new ExplorerNode();
  await node.start();
  tellStory(node.teller);
  const { reverted, replacedBy } = await node.fork(3);
  expect(replacedBy).toHaveLength(4);
  expect(replacedBy).not.toContain(reverted.at(-1));
  await node.stop();
  await node.start();
  const types = new Set<number>();
  for (let height = 1; height <= node.teller.height; height++) {
    const answer = await fetch(`${node.url}/blocks/at/${height}`);
    const { transactions } = (await answer.json()) as { readonly transactions: { readonly type: number }[] };
    for (const { type } of transactions) types.add(type);
  }
  await node.stop();
  expect([...types].sort((a, b) => a - b)).toEqual(definitions.map(({ type }) => type));
});
