/** A client that applies what it reads, in order, arrives at the chain, wherever it broke off and resumed. */
import { expect, test } from "vitest";
import { encodeBase58 } from "../../bytes/base58.ts";
import { chainStart, changesSince } from "../../chain/reading/changes.ts";
import { ChainFollower } from "../../chain/testing/chain-follower.ts";
import { RandomChain } from "../../chain/testing/random-chain.ts";
import type { AppliedUnit, StoredTransaction } from "../../interfaces.ts";
import { dev } from "../../profiles/index.ts";
import { eventChain } from "../../testing/event-chain.ts";
import { SeededRandom } from "../../testing/seeded-random.ts";
import { type EventFilter, eventFilter } from "./filter.ts";
import { EventPages } from "./pages.ts";
import { type EventPosition, formatPosition, parsePosition, startPosition } from "./position.ts";

/** More by `npm run soak:undo -- --times N`. */
const CASES = Number(process.env.SOAK_TIMES ?? 4);
const CHANGING_CASES = Math.ceil(CASES / 2);
const FIRST_SEED = Number(process.env.SOAK_SEED ?? 1);
const STEPS = 50;

interface Told {
  readonly event: string;
  readonly id: string;
  readonly change: string;
  /** The event without its direction. */
  readonly what: string;
}

/** Parses an event stream; an incomplete message at its end is ignored. */
function messagesOf(text: string): Told[] {
  const whole = text.split("\n\n").slice(0, -1);
  return whole.map((one) => {
    const [event, id, data] = one.split("\n").map((line) => line.slice(line.indexOf(": ") + 2));
    const found = /^\{"change":"(\w+)",(.*)$/.exec(data);
    return { event, id, change: found?.[1] ?? "", what: `${event} ${found?.[2]}` };
  });
}

/** A client that reads now and then, loses its connection anywhere, and resumes after the last complete message. */
class Follower {
  readonly filter: EventFilter;
  readonly seen: string[] = [];
  position: EventPosition = startPosition;
  reverted = 0;

  constructor(filter: EventFilter) {
    this.filter = filter;
  }

  /** Reads a page. Returns true at the tip. @param cut how much of it arrives, percent */
  read(pages: EventPages, cut = 100): boolean {
    const { bytes, next, isComplete } = pages.page(this.filter, this.position);
    const text = Buffer.from(bytes ?? []).toString();
    const told = messagesOf(text.slice(0, Math.ceil((text.length * cut) / 100)));
    // A node that never had the position: the reader asks another one.
    if (told[0]?.event === "gap") return false;
    for (const { event, change, what } of told) {
      expect(["block", "microblock", "transaction"]).toContain(event);
      if (change === "committed") this.seen.push(what);
      else {
        expect(this.seen.pop()).toBe(what);
        this.reverted++;
      }
    }
    if (cut === 100) this.position = next;
    else {
      const id = told.at(-1)?.id ?? formatPosition(this.position);
      const position = parsePosition(id);
      if (position === undefined) throw new Error(`${id} is no id`);
      expect(formatPosition(position)).toBe(id);
      this.position = position;
    }
    return isComplete && cut === 100;
  }
}

/** What a filter matches on a chain, computed in another way. */
function expected(chain: RandomChain, fits: (told: StoredTransaction) => boolean, units: boolean): string[] {
  const all = chain.store.read((reader) => changesSince(reader, dev, chainStart, Number.POSITIVE_INFINITY));
  if (all.kind !== "changes") throw new Error("the start is out of reach");
  return all.committed.flatMap((unit: AppliedUnit) => [
    ...(units ? [`${unit.sequence === 0 ? "block" : "microblock"} ${unit.height} ${unit.sequence}`] : []),
    ...unit.transactions.filter(fits).map(({ id }) => `transaction ${encodeBase58(id)}`),
  ]);
}

function seenBy({ seen }: Follower): string[] {
  return seen.map((what) => {
    const [event] = what.split(" ", 1);
    if (event === "transaction") return `transaction ${/"id":"(\w+)"/.exec(what)?.[1]}`;
    const [, height, sequence] = /"height":(\d+),"sequence":(\d+)/.exec(what) ?? [];
    return `${event} ${height} ${sequence}`;
  });
}

test(`${CASES} times streams that break off anywhere arrive at the chain, with and without filters`, {
  timeout: 600_000,
}, () => {
  let reverted = 0;
  for (let seed = FIRST_SEED; seed < FIRST_SEED + CASES; seed++) {
    const random = new SeededRandom(seed);
    const chain = new RandomChain(random);
    let pages = new EventPages(eventChain(chain.store));
    const all = new Follower(eventFilter({ events: ["block", "microblock", "transaction"] }));
    const anchors = new Follower(eventFilter({ events: ["transaction"], types: [15, 22] }));
    const blocks = new Follower(eventFilter({ events: ["block", "microblock"] }));
    const followers = [all, anchors, blocks];
    for (let step = 0; step < STEPS; step++) {
      const what = random.below(100);
      if (what < 80) chain.grow();
      else if (what < 90) chain.compete();
      else if (what < 94) chain.shrink();
      // A restart: the node only remembers what followers need.
      else pages = new EventPages(eventChain(chain.store));
      pages.clear();
      for (const one of followers) {
        for (let left = random.below(4); left > 0; left--)
          one.read(pages, random.chance(50) ? 100 : random.below(100));
      }
    }
    for (const one of followers) while (!one.read(pages));
    expect(seenBy(all)).toEqual(expected(chain, () => true, true));
    expect(seenBy(blocks)).toEqual(expected(chain, () => false, true));
    const isAnchor = ({ transaction: { type } }: StoredTransaction): boolean => type === 15 || type === 22;
    expect(seenBy(anchors)).toEqual(expected(chain, isAnchor, false));
    for (const one of followers) {
      expect(formatPosition(one.position)).toBe(formatPosition(pages.tip()));
      reverted += one.reverted;
    }
  }
  // The run counts only if a connection broke off inside reverted units.
  expect(reverted).toBeGreaterThan(10 * CASES);
});

test(`${CHANGING_CASES} times readers that change between a node and its followers arrive at the chain`, {
  timeout: 600_000,
}, async () => {
  let reverted = 0;
  for (let seed = FIRST_SEED; seed < FIRST_SEED + CHANGING_CASES; seed++) {
    const random = new SeededRandom(seed);
    const chain = new RandomChain(random);
    const followers = [new ChainFollower(chain), new ChainFollower(chain)];
    const nodes = [chain, ...followers].map(({ store }) => new EventPages(eventChain(store)));
    const reader = new Follower(eventFilter({ events: ["block", "microblock", "transaction"] }));
    for (let step = 0; step < STEPS; step++) {
      chain.grow();
      if (random.chance(15)) chain.compete();
      if (random.chance(10)) chain.shrink();
      // Each follower is sometimes behind.
      for (const follower of followers) if (random.chance(60)) await follower.follow(1 + random.below(4));
      for (const pages of nodes) pages.clear();
      for (let left = random.below(5); left > 0; left--)
        reader.read(random.pick(nodes), random.chance(50) ? 100 : random.below(100));
    }
    for (const follower of followers) await follower.follow(10_000);
    for (const pages of nodes) pages.clear();
    // The position may be known at only one of them.
    for (let i = 0, isComplete = false; !isComplete; i++) isComplete = reader.read(nodes[i % nodes.length]);
    expect(seenBy(reader)).toEqual(expected(chain, () => true, true));
    reverted += reader.reverted;
  }
  expect(reverted).toBeGreaterThan(CHANGING_CASES);
});
