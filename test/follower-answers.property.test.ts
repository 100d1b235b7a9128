/** A follower answers as its node at every block of chains that grow, fork and shrink at random. */
import { afterEach, expect, test } from "vitest";
import { isKeyRoute } from "../src/api/route.ts";
import { routes } from "../src/api/routes/all.ts";
import { chainReader } from "../src/chain/snapshot.ts";
import { readerContext } from "../src/node/composition.ts";
import { RouteSubjects } from "../src/testing/route-subjects.ts";
import { SeededRandom } from "../src/testing/seeded-random.ts";
import { OWN_PATHS, startFollower } from "./replay/followed-node.ts";
import { type ExactRequest, exchange } from "./replay/http-exchange.ts";
import { NodeChain } from "./support/node-chain.ts";

/** Number of requests: 150 in the test run; more with `SOAK_TIMES`. */
const REQUESTS = Number(process.env.SOAK_TIMES ?? 150);
const FIRST_SEED = Number(process.env.SOAK_SEED ?? 1);
const STEPS = 40;
const REQUESTS_PER_STEP = 5;

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Routes that a follower answers from its own store. The stream of events never ends. */
const asked = routes.filter(
  (route) =>
    route.method === "GET" &&
    route.onFollower === undefined &&
    !isKeyRoute(route) &&
    ![...OWN_PATHS, "/events"].includes(route.path),
);

const QUERIES = ["", "", "?limit=1", "?limit=2", "?limit=2&offset=1", "?format=csv", "?limit=3&after="];
const JSON_TYPES = ["application/json", "application/json", "*/*", "*/*"];
const ACCEPTED = [...JSON_TYPES, "application/did-resolution", "text/csv"];

test(`a follower answers ${REQUESTS} random requests as its node, at every block of random chains`, {
  timeout: 3_600_000,
}, async () => {
  const found: string[] = [];
  const statuses = new Map<number, number>();
  let sent = 0;
  for (let seed = FIRST_SEED; sent < REQUESTS; seed++) {
    const random = new SeededRandom(seed);
    const subject = new NodeChain(random);
    const { node, settings, clock, store } = subject;
    await node.start();
    closing.push(() => node.stop());
    const follower = await startFollower(node, settings, clock);
    closing.push(() => follower.stop());
    const reader = chainReader(store, readerContext(settings, node.chain.rules, node.trust));
    const subjects = new RouteSubjects();
    const compare = async (request: ExactRequest): Promise<string | undefined> => {
      sent++;
      found.push(...(await follower.differences(request)).map((text) => `seed ${seed}: ${text}`));
      const { status, headers } = await exchange(String(node.url), request);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      const cursor = headers["x-next-cursor"];
      return cursor === undefined ? undefined : String(cursor);
    };
    for (let step = 0; step < STEPS && sent < REQUESTS; step++) {
      subject.grow();
      if (random.chance(15)) subject.compete();
      if (random.chance(10)) subject.shrink();
      if (random.chance(10)) node.chain.persistTip();
      const time = Number(node.chain.tip.keyBlock.timestamp) + random.below(60_000) - 30_000;
      clock.jump(Math.max(clock.now(), time));
      reader.read((chain) => subjects.look(chain));
      for (let i = 0; i < REQUESTS_PER_STEP; i++) {
        const path = subjects.url(random.pick(asked).path, random);
        const headers = { Accept: random.pick(ACCEPTED) };
        const next = await compare({ method: "GET", path: path + random.pick(QUERIES), headers });
        // A follower continues pages that the node began.
        if (next !== undefined)
          await compare({
            method: "GET",
            path: `${path}?limit=2&cursor=${encodeURIComponent(next)}`,
            headers,
          });
      }
    }
    for (const close of closing.splice(0).reverse()) await close();
    expect(found).toEqual([]);
  }
  console.log(
    `${sent} requests: ${[...statuses].map(([status, count]) => `${count} x ${status}`).join(", ")}`,
  );
  expect(statuses.get(200)).toBeGreaterThan(REQUESTS / 2);
});
