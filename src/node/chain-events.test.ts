/** Events of the chain in the HTTP thread, and what it reads then. */
import { MessageChannel } from "node:worker_threads";
import { expect, test } from "vitest";
import { announceCommits, eventsOverPort } from "../api/ports/events-port.ts";
import type { ChainCursor } from "../interfaces.ts";
import { DevNode } from "../testing/dev-node.ts";
import { settingsOf } from "../testing/settings.ts";
import { tickReader } from "./api/tick-reader.ts";
import { readerContext } from "./composition.ts";

test("announces every commit across a port once it can be read", async () => {
  const node = new DevNode();
  const trust = { network: new Map(), root: undefined };
  const context = readerContext(
    settingsOf(node.profile, { index: { indexAll: true } }),
    node.chain.rules,
    trust,
  );
  const reader = tickReader(node.store, context);
  const { port1, port2 } = new MessageChannel();
  const stop = announceCommits(port1, node.chain);
  const events = eventsOverPort(port2, reader);
  const heard: ChainCursor[] = [];
  const read: ChainCursor[] = [];
  const done = new Promise<void>((resolve) => {
    events.onCommit((tip) => {
      heard.push(tip);
      read.push(reader.read((chain) => chain.tip()));
      if (heard.length === 3) resolve();
    });
  });
  const committed: ChainCursor[] = [];
  node.chain.onChange(({ tip: { height, sequence, id } }) => committed.push({ height, sequence, id }));
  // A read before the event must not be reused after it.
  expect(reader.read((chain) => chain.height())).toBe(1);
  node.forger.start();
  while (committed.length < 3) node.clock.step();
  node.forger.stop();
  stop();
  await done;
  expect(heard).toEqual(committed);
  // All were committed before the first event was handled.
  expect(read.map(({ id }) => id)).toEqual(committed.map(() => node.chain.tip.id));
  port1.close();
});
