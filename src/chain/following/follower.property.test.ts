/** A follower's store equals that of its source, whatever the source's chain does. */
import { expect, test } from "vitest";
import { bytesEqual } from "../../bytes/compare.ts";
import { memoryStore } from "../../storage/memory-store.ts";
import { tables } from "../../storage/tables.ts";
import { recordChanges } from "../../testing/changes.ts";
import { SeededRandom } from "../../testing/seeded-random.ts";
import { inlineVerifier } from "../../verification/testing/inline-verifier.ts";
import { commonRecord } from "../reading/common-record.ts";
import { recordsAfter } from "../reading/unit-records.ts";
import { compareStores, RandomChain } from "../testing/random-chain.ts";
import { returnBlocks } from "../testing/return-blocks.ts";
import { Follower } from "./follower.ts";

/** 3 in the test run; more with `SOAK_TIMES`. */
const CHAINS = Number(process.env.SOAK_TIMES ?? 3);
const FIRST_SEED = Number(process.env.SOAK_SEED ?? 1);
const STEPS = 40;

class FollowedChain extends RandomChain {
  readonly followed = memoryStore();
  readonly #chain = this.openChain(this.followed);
  readonly #changes = recordChanges(this.#chain);
  readonly #follower = new Follower({
    chain: this.#chain,
    network: this.profile,
    verifier: inlineVerifier(this.profile),
    checks: "none",
  });

  /** Removes blocks and accepts the same ones again, on a parent that a persist unit persisted. */
  regrow(): void {
    const height = Math.max(1, this.chain.tip.height - 1 - this.random.below(6));
    if (height >= this.chain.tip.height) return;
    returnBlocks(this.chain, this.store, this.profile, height);
  }

  /** Returned blocks have other persist units than the remembered states. */
  protected override expectShrunk(): void {}

  /** Reads one page, or all that the source has. @returns true if units were undone */
  async follow(limit: number): Promise<boolean> {
    const position = this.#follower.followedPosition;
    const { common, records } = this.store.read((reader) => {
      const common = commonRecord(reader, position);
      if (common === undefined) throw new Error("no common unit");
      const limits = { units: limit, bytes: 1e9 };
      return { common, ...recordsAfter(reader, this.profile, common, limits) };
    });
    const isFork = common.sequence !== position.sequence || !bytesEqual(common.id, position.id);
    const result = await this.#follower.apply({ undoTo: isFork ? common : undefined, records });
    expect(result).toMatchObject({ ok: true });
    expect(this.#changes.splice(0)).toHaveLength(isFork || records.length > 0 ? 1 : 0);
    return isFork;
  }

  compareWithFollower(): void {
    compareStores(this.followed, this.store);
    expect([...this.followed.range(tables.unitDigests)]).toEqual([...this.store.range(tables.unitDigests)]);
  }
}

test(`followers of ${CHAINS} random chains have the stores of their sources`, {
  timeout: 600_000,
}, async () => {
  let forks = 0;
  let persisted = 0;
  for (let seed = FIRST_SEED; seed < FIRST_SEED + CHAINS; seed++) {
    const random = new SeededRandom(seed);
    const chain = new FollowedChain(random);
    for (let step = 0; step < STEPS; step++) {
      chain.grow();
      if (random.chance(15)) chain.compete();
      if (random.chance(10)) chain.shrink();
      if (random.chance(5)) chain.chain.persistTip();
      if (random.chance(8)) chain.regrow();
      // Sometimes the follower is away, or reads only a part.
      if (random.chance(60) && (await chain.follow(1 + random.below(4)))) forks++;
    }
    if (await chain.follow(10_000)) forks++;
    chain.compareWithFollower();
    for (const [{ sequence }] of chain.store.range(tables.unitDigests)) if (sequence === 0xffff) persisted++;
  }
  expect(forks).toBeGreaterThan(CHAINS);
  expect(persisted).toBeGreaterThan(CHAINS);
});
