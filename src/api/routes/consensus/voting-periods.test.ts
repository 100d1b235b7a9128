/** Counting the votes of a period reads thousands of rows, so it is done once for each state of the chain. */
import { expect, test } from "vitest";
import { bareServer } from "../../testing/server.ts";
import { fakeSnapshot, type SnapshotOverrides } from "../../testing/snapshot.ts";

test.each(["/activation/status", "/fees/status"])("%s", async (path) => {
  let state = "one";
  let counted = 0;
  const nothing = fakeSnapshot();
  const chain: SnapshotOverrides = {
    state: () => state,
    network: {
      features: () => {
        counted++;
        return [{ id: 99, approvalHeight: undefined, activationHeight: undefined, votes: counted }];
      },
      feeVotes: () => ({ ...nothing.network.feeVotes(), votes: ++counted }),
    },
  };
  const server = await bareServer({ chain });
  try {
    const ask = async () => (await server.inject(path)).body;
    const first = await ask();
    for (let i = 0; i < 5; i++) expect(await ask()).toBe(first);
    expect(counted).toBe(1);
    state = "two";
    expect(await ask()).not.toBe(first);
    expect(counted).toBe(2);
  } finally {
    await server.close();
  }
});
