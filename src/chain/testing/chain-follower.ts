import { expect } from "vitest";
import { bytesEqual } from "../../bytes/compare.ts";
import { memoryStore } from "../../storage/memory-store.ts";
import { recordChanges } from "../../testing/changes.ts";
import { inlineVerifier } from "../../verification/testing/inline-verifier.ts";
import { Follower } from "../following/follower.ts";
import { commonRecord } from "../reading/common-record.ts";
import { recordsAfter } from "../reading/unit-records.ts";
import type { RandomChain } from "./random-chain.ts";

/** Follows a random chain with its own store, without checks of signatures. */
export class ChainFollower {
  readonly store = memoryStore();
  readonly #source: RandomChain;
  readonly #changes;
  readonly #follower: Follower;

  constructor(source: RandomChain) {
    this.#source = source;
    const network = source.profile;
    const chain = source.openChain(this.store);
    this.#changes = recordChanges(chain);
    this.#follower = new Follower({ chain, network, verifier: inlineVerifier(network), checks: "none" });
  }

  /** Reads one page, or all that the source has. @returns true if units were undone */
  async follow(limit: number): Promise<boolean> {
    const { store, profile } = this.#source;
    const position = this.#follower.followedPosition;
    const { common, records } = store.read((reader) => {
      const common = commonRecord(reader, position);
      if (common === undefined) throw new Error("no common unit");
      return { common, ...recordsAfter(reader, profile, common, { units: limit, bytes: 1e9 }) };
    });
    const isFork = common.sequence !== position.sequence || !bytesEqual(common.id, position.id);
    const result = await this.#follower.apply({ undoTo: isFork ? common : undefined, records });
    expect(result).toMatchObject({ ok: true });
    expect(this.#changes.splice(0)).toHaveLength(isFork || records.length > 0 ? 1 : 0);
    return isFork;
  }
}
