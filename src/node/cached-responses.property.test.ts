/** Cached responses equal those of the chain, whatever happened to it meanwhile. */

import { expect, test } from "vitest";
import { formatCursor } from "../api/chain-position.ts";
import { routes } from "../api/routes/all.ts";
import { createServer } from "../api/server/server.ts";
import { fakeControl } from "../api/testing/control.ts";
import { memoryLog, testInfo } from "../api/testing/server.ts";
import { newestUnit } from "../chain/reading/changes.ts";
import { StoredSnapshot } from "../chain/snapshot.ts";
import { RandomChain } from "../chain/testing/random-chain.ts";
import type { ReaderContext } from "../indexes/query-source.ts";
import type { ChainReader } from "../interfaces.ts";
import { trustOfSpenders } from "../testing/random-transactions.ts";
import { RouteSubjects } from "../testing/route-subjects.ts";
import { SeededRandom } from "../testing/seeded-random.ts";
import { VirtualClock } from "../testing/virtual-clock.ts";
import { tickReader } from "./api/tick-reader.ts";

const CASES = 3;
const STEPS = 14;

let names = 0;

/** A chain whose snapshots never have the same state, so that no response is reused. */
class Nameless extends StoredSnapshot {
  override state(): string {
    return String(names++);
  }
}

/** Formats of identities: those of the index, and a strict one. */
const ACCEPTED = ["application/json", "*/*", "application/did-resolution"];

function serverOf(reader: ChainReader, context: ReaderContext, clock: VirtualClock) {
  return createServer({
    reader,
    control: fakeControl([], context.profile.chainId),
    events: { onCommit: () => () => {} },
    info: testInfo({ network: context.profile }),
    clock,
    log: memoryLog(),
  });
}

const cacheable = routes.filter(({ cost }) => cost?.cacheable === true);

test(`cached responses match the chain on ${CASES} chains that grow, fork and shrink at random`, async () => {
  expect(cacheable.length).toBeGreaterThan(20);
  let successes = 0;
  for (let seed = 1; seed <= CASES; seed++) {
    const random = new SeededRandom(seed);
    const subject = new RandomChain(random);
    const { store, profile, chain } = subject;
    const context = { profile, rules: chain.rules, indexAll: true, trust: trustOfSpenders(profile.chainId) };
    const reader = tickReader(store, context);
    const clock = new VirtualClock(Number(chain.tip.keyBlock.timestamp));
    const keeping = await serverOf(reader, context, clock);
    const making = await serverOf(
      { read: (reading) => store.read((tables) => reading(new Nameless(tables, context))), renew: () => {} },
      context,
      clock,
    );
    const subjects = new RouteSubjects();
    const compare = async (url: string): Promise<void> => {
      const headers = { accept: random.pick(ACCEPTED) };
      const expected = await making.inject({ url, headers });
      for (let time = 0; time < 3; time++) {
        const answer = await keeping.inject({ url, headers });
        expect(answer.statusCode, url).toEqual(expected.statusCode);
        expect(answer.body, url).toEqual(expected.body);
        // A failure has a position only if the chain was read before it.
        if (answer.statusCode >= 400) continue;
        expect(answer.headers["x-chain"], url).toEqual(expected.headers["x-chain"]);
        if (answer.headers["cache-control"] === undefined)
          expect(answer.headers["x-chain"], url).toBe(formatCursor(store.read(newestUnit)));
        else expect(answer.headers["x-chain"], url).toBe(undefined);
      }
      if (expected.statusCode === 200) successes++;
    };
    const urls = (): string[] => cacheable.map(({ path }) => subjects.url(path, random));
    for (let step = 0; step < STEPS; step++) {
      const what = random.below(10);
      if (what < 7) subject.grow();
      else if (what < 8) subject.compete();
      else subject.shrink();
      reader.renew();
      // Before and after the timestamps of transactions.
      const time = Number(chain.tip.keyBlock.timestamp) + random.below(60_000) - 30_000;
      clock.jump(Math.max(clock.now(), time));
      store.read((tables) => subjects.look(new StoredSnapshot(tables, context)));
      for (const url of urls()) await compare(url);
    }
    // The tip stays the same, and becomes final.
    const last = [urls(), urls(), urls(), urls()].flat();
    for (const url of last) await compare(url);
    chain.persistTip();
    reader.renew();
    for (const url of last) await compare(url);
    await keeping.close();
    await making.close();
  }
  expect(successes).toBeGreaterThan(CASES * STEPS * 10);
});
