/** Properties of handling news at the tip, over random peers. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { microBlockBytes } from "../../blocks/micro-block.ts";
import { encodeHex } from "../../bytes/hex.ts";
import { copyTransaction, transactionBytes, transactionId } from "../../transactions/index.ts";
import { LiveWorld } from "../testing/live-world.ts";
import type { ScriptedPeer } from "../testing/scripted-network.ts";

const behaviour = fc.constantFrom("silent", "lies", "late", "leaves");

test("a micro block that one honest peer has is fetched, whatever other announcers do", async () => {
  const peer = fc.record({ behaviour, afterMs: fc.integer({ min: 0, max: 3_000 }) });
  await fc.assert(
    fc.asyncProperty(
      fc.array(peer, { maxLength: 6 }),
      fc.integer({ min: 0, max: 3_000 }),
      async (others, honestAfterMs) => {
        const world = new LiveWorld();
        const one = world.micro(world.forged());
        const wrong = microBlockBytes({ ...one.micro, signature: new Uint8Array(64) });
        const right = microBlockBytes(one.micro);
        const peers = [...others, { behaviour: "honest", afterMs: honestAfterMs }].map((plan) => ({
          ...plan,
          peer: world.network.connect(),
          announced: false,
        }));
        const answer = async (peer: ScriptedPeer, how: string): Promise<void> => {
          if (how === "leaves") peer.leaves();
          else if (how === "lies") await peer.says({ type: "MicroBlockResponse", bytes: wrong });
          else if (how === "honest") await peer.says({ type: "MicroBlockResponse", bytes: right });
          else if (how === "late")
            world.node.clock.after(5_000, () => void peer.says({ type: "MicroBlockResponse", bytes: right }));
        };
        let requests = 0;
        // Two seconds for each of them, and the time until all have sent.
        for (let ms = 0; ms < 3_000 + 2_000 * peers.length + 500; ms += 500) {
          for (const one_ of peers) {
            if (!one_.announced && ms >= one_.afterMs) {
              one_.announced = true;
              await one_.peer.says({ type: "MicroBlockInv", announcement: one.announcement });
            }
          }
          for (const { peer, behaviour } of peers)
            for (const { type } of peer.take())
              if (type === "MicroBlockRequest") {
                requests++;
                await answer(peer, behaviour);
              }
          await world.pass(500);
        }
        expect(encodeHex(world.node.chain.tip.id)).toBe(encodeHex(one.micro.totalSignature));
        expect(requests).toBeLessThanOrEqual(peers.length);
        for (const { peer, behaviour } of peers) {
          if (behaviour !== "lies") expect(peer.parting).toBeUndefined();
        }
        world.live.stop();
        expect(world.network.count).toBeGreaterThan(0);
      },
    ),
    { seed: 1, numRuns: 30 },
  );
});

test("each valid transaction comes to the pool, and once to each peer that has not sent it", async () => {
  const step = fc.record({
    peer: fc.integer({ min: 0, max: 3 }),
    transaction: fc.integer({ min: 0, max: 5 }),
    spoilt: fc.boolean(),
    waitMs: fc.constantFrom(0, 0, 10, 120),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const world = new LiveWorld();
      world.forged();
      const peers = [0, 1, 2, 3].map(() => world.network.connect());
      const transactions = Array.from({ length: 6 }, () => world.transfer());
      const idOf = transactions.map((one) => encodeHex(transactionId(one)));
      const sent = new Map<number, Set<number>>();
      const got = peers.map(() => new Map<string, number>());
      const look = (): void => {
        for (const [i, peer] of peers.entries())
          for (const message of peer.take()) {
            if (message.type !== "Transaction") throw new Error(message.type);
            const key = encodeHex(message.bytes);
            got[i].set(key, (got[i].get(key) ?? 0) + 1);
          }
      };
      for (const { peer, transaction, spoilt, waitMs } of steps) {
        const one = transactions[transaction];
        const bad = copyTransaction(one, { proofs: [new Uint8Array(64).fill(peer + 1)] });
        await peers[peer].says({ type: "Transaction", bytes: transactionBytes(spoilt ? bad : one) });
        if (!spoilt) sent.set(transaction, (sent.get(transaction) ?? new Set()).add(peer));
        await world.pass(waitMs);
        look();
      }
      await world.pass(200);
      look();
      expect(world.node.pool.size).toBe(sent.size);
      for (const [i, one] of transactions.entries()) {
        expect(world.node.pool.has(transactionId(one)), idOf[i]).toBe(sent.has(i));
        const key = encodeHex(transactionBytes(one));
        for (const [at, counts] of got.entries()) {
          const times = counts.get(key) ?? 0;
          // A peer that sends what it was just sent did not know; no peer is sent anything twice.
          expect(times).toBeLessThanOrEqual(1);
          if (sent.has(i) && sent.get(i)?.has(at) !== true) expect(times).toBe(1);
          counts.delete(key);
        }
      }
      for (const counts of got) expect(counts.size).toBe(0);
      world.live.stop();
    }),
    { seed: 1, numRuns: 30 },
  );
});
