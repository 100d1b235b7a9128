/** The choice of the sync peer. Page 04 §10. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SeededRandom } from "../../testing/seeded-random.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { type ScoreEvent, ScoreObserver } from "./score-observer.ts";

function open(localScore = 100n, groupOf: (peer: string) => string = () => "") {
  const clock = new VirtualClock(0);
  const events: [at: number, ...(string | bigint | undefined)[]][] = [];
  const observer = new ScoreObserver<string>({
    clock,
    random: new SeededRandom(1),
    debounceMs: 1_000,
    localScore,
    groupOf,
    onEvent: ({ closed, syncWith }: ScoreEvent<string>) => {
      events.push([clock.now(), closed, syncWith?.peer, syncWith?.score]);
    },
  });
  return { clock, events, observer };
}

describe("the sync peer", () => {
  test("is the one with the highest score above ours, and stays while it leads", () => {
    const { clock, events, observer } = open();
    observer.received("A", 105n);
    observer.received("B", 99n);
    clock.advance(1_500);
    observer.received("C", 107n);
    observer.received("D", 107n);
    clock.advance(1_500);
    const [, , leader] = events.at(-1) ?? [];
    expect(["C", "D"]).toContain(leader);
    expect(events).toEqual([
      [1_000, undefined, "A", 105n],
      [2_500, undefined, "C", 107n],
      ...(leader === "D" ? [[2_500, undefined, "D", 107n]] : []),
    ]);
    // Another peer with the same score changes nothing.
    observer.received("E", 107n);
    clock.advance(1_500);
    expect(events).toHaveLength(2);
    observer.localChanged(107n);
    expect(events.at(-1)).toEqual([4_500, undefined, undefined, undefined]);
  });

  test("is replaced at once when it disconnects", () => {
    const { clock, events, observer } = open();
    observer.received("A", 110n);
    observer.received("B", 105n);
    clock.advance(1_000);
    clock.advance(250);
    observer.closed("A");
    observer.closed("B");
    expect(events).toEqual([
      [1_000, undefined, "A", 110n],
      [1_250, "A", "B", 105n],
      [1_250, "B", undefined, undefined],
    ]);
  });

  test("is never a peer that left before its score counted", () => {
    const { clock, events, observer } = open();
    observer.received("A", 110n);
    clock.advance(400);
    observer.closed("A");
    clock.advance(4_600);
    observer.received("B", 105n);
    clock.advance(60_000);
    expect(events).toEqual([
      [400, "A", undefined, undefined],
      [6_000, undefined, "B", 105n],
    ]);
    expect(clock.pending).toBe(0);
  });

  test("is found again after a rollback of ours", () => {
    const { clock, events, observer } = open(100n);
    observer.received("A", 100n);
    clock.advance(1_000);
    observer.localChanged(95n);
    expect(events.at(-1)).toEqual([1_000, undefined, "A", 100n]);
  });

  test("is replaced when its chain turns out not to be better, until its score changes", () => {
    const { clock, events, observer } = open();
    observer.received("A", 2n ** 500n);
    observer.received("B", 105n);
    clock.advance(1_000);
    observer.markUnfounded("A");
    expect(events.at(-1)).toEqual([1_000, undefined, "B", 105n]);
    observer.received("A", 2n ** 500n);
    clock.advance(100_000);
    expect(events.at(-1)).toEqual([1_000, undefined, "B", 105n]);
    observer.localChanged(105n);
    expect(events.at(-1)).toEqual([101_000, undefined, undefined, undefined]);
    observer.received("A", 106n);
    clock.advance(1_000);
    expect(events.at(-1)).toEqual([102_000, undefined, "A", 106n]);
    observer.markUnfounded("nobody");
    expect(events).toHaveLength(4);
  });

  test("is an honest one before long, whatever others claim again and again", () => {
    const { clock, observer } = open(100n, (peer) => peer.slice(0, 1));
    const liars = ["A1", "A2", "B1", "B2"];
    let claim = 1_000n;
    observer.received("C1", 105n);
    for (const liar of liars) observer.received(liar, claim++);
    clock.advance(1_000);
    const asked: (string | undefined)[] = [];
    for (let i = 0; i < 20; i++) {
      const peer = observer.syncWith?.peer;
      asked.push(peer);
      if (peer === "C1") {
        // It delivers part of its chain.
        observer.markProven(peer);
        observer.localChanged(observer.localScore + 1n);
        observer.received(peer, observer.localScore + 5n);
      } else if (peer !== undefined) observer.markUnfounded(peer);
      for (const liar of liars) observer.received(liar, claim++);
      clock.advance(1_000);
    }
    // Right after the first failed peer: its claim is the oldest.
    expect(asked.slice(0, 3)).toEqual([expect.stringMatching(/^[AB]/), "C1", "C1"]);
    expect(asked.filter((peer) => peer === "C1").length).toBeGreaterThanOrEqual(16);
    // A peer without a better alternative is asked despite failures.
    observer.closed("C1");
    expect(observer.syncWith?.peer).toMatch(/^[AB]/);
    clock.advance(1_000);
  });

  test("is not the newest one after a failed request, whatever it claims", () => {
    const { clock, observer } = open(100n, (peer) => peer);
    observer.received("liar 0", 1_000n);
    observer.received("honest", 105n);
    clock.advance(1_000);
    // Each has its own range and claims more than all before it.
    const asked: (string | undefined)[] = [];
    for (let i = 1; i <= 5; i++) {
      const peer = observer.syncWith?.peer;
      asked.push(peer);
      if (peer?.startsWith("liar")) observer.markUnfounded(peer);
      observer.received(`liar ${i}`, 1_000n + BigInt(i));
      clock.advance(1_000);
    }
    expect(asked).toEqual(["liar 0", "honest", "honest", "honest", "honest"]);
  });

  test("counts once its score pauses, and equal scores do not restart the pause", () => {
    const { clock, events, observer } = open();
    for (let i = 0; i < 6; i++) {
      observer.received("A", 110n + BigInt(i));
      clock.advance(400);
    }
    observer.received("A", 115n);
    clock.advance(10_000);
    expect(events).toEqual([[3_000, undefined, "A", 115n]]);
  });

  test("is always connected and ahead, and has the highest score until one has failed", () => {
    const peer = fc.constantFrom("A", "B", "C");
    const score = fc.bigInt({ min: 0n, max: 8n });
    const step = fc.oneof(
      fc.record({ received: peer, score }),
      fc.record({ closed: peer }),
      fc.record({ local: score }),
      fc.record({ wait: fc.integer({ min: 1, max: 1_500 }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const { clock, events, observer } = open(4n);
        const counted = new Map<string, { score: bigint; at: number }>();
        let local = 4n;
        let hasFailed = false;
        for (const one of steps) {
          if ("wait" in one) clock.advance(one.wait);
          else if ("local" in one) {
            local = one.local;
            observer.localChanged(local);
          } else if ("closed" in one) {
            counted.delete(one.closed);
            hasFailed ||= observer.syncWith?.peer === one.closed;
            observer.closed(one.closed);
          } else {
            if (counted.get(one.received)?.score !== one.score)
              counted.set(one.received, { score: one.score, at: clock.now() });
            observer.received(one.received, one.score);
          }
        }
        clock.advance(1_000);
        let best = local;
        for (const { score } of counted.values()) if (score > best) best = score;
        const last = events.at(-1) ?? [0, undefined, undefined, undefined];
        if (best === local) expect(last[3]).toBeUndefined();
        else {
          expect(counted.get(String(last[2]))?.score).toBe(last[3]);
          if (hasFailed) expect(last[3]).toBeGreaterThan(local);
          else expect(last[3]).toBe(best);
        }
      }),
      { seed: 1, numRuns: 500 },
    );
  });
});
