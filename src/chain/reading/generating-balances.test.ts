import { expect, test } from "vitest";
import { generatingBalance, persistedGeneratingBalance } from "../../ledger/balances.ts";
import { Overlay } from "../../storage/batch/overlay.ts";
import { PERSIST_SEQUENCE } from "../../storage/batch/write-batch.ts";
import { StoredLedger } from "../../storage/ledger/ledger-state.ts";
import { tables } from "../../storage/tables.ts";
import { SeededRandom } from "../../testing/seeded-random.ts";
import { GeneratingBalanceCache } from "./generating-balances.ts";

const accounts = Array.from({ length: 3 }, (_, i) => new Uint8Array(26).fill(i + 1));

/** A chain of balances with rollback: each state is a layer over the one before. */
class Balances {
  readonly layers: Overlay[] = [new Overlay()];

  constructor(
    private readonly random: SeededRandom,
    private readonly chance: number,
  ) {}

  get rows(): Overlay {
    return this.layers.at(-1) as Overlay;
  }

  /** A block in which some accounts change. */
  grow(): void {
    const { random } = this;
    const rows = new Overlay(this.rows);
    const ledger = new StoredLedger(rows);
    const height = ledger.height + 1;
    const generator = accounts[0] as Uint8Array;
    ledger.beginBlock(height, { timestamp: BigInt(height), generator, features: [], feeVote: 0 });
    ledger.setPersistedHeight(height - 1);
    rows.put(tables.headers, height, {
      version: 4,
      timestamp: BigInt(height),
      reference: new Uint8Array(64),
      baseTarget: 1n,
      generationSignature: new Uint8Array(32),
      features: [],
      feeVote: 0,
      generator: new Uint8Array(32),
      signature: random.bytes(64),
      baseSignature: random.bytes(64),
      size: 0,
      transactionCount: 0,
    });
    this.change(ledger);
    ledger.flush(0);
    for (let sequence = 1; random.chance(25); sequence++) {
      const signature = random.bytes(64);
      rows.put(
        tables.microBlocks,
        { height, sequence },
        {
          version: 3,
          reference: signature,
          totalSignature: signature,
          signature,
          arrivedAt: 0,
          firstPosition: 0,
          transactionCount: 1,
        },
      );
      this.change(ledger);
      ledger.flush(sequence);
    }
    if (random.chance(5)) {
      this.change(ledger);
      ledger.flush(PERSIST_SEQUENCE);
    }
    this.layers.push(rows);
  }

  /** Some accounts change, some twice in one unit. */
  private change(ledger: StoredLedger): void {
    const { random } = this;
    const amount = (): bigint => BigInt(random.below(1_000));
    for (const address of accounts)
      while (random.chance(this.chance))
        ledger.setAccount(address, {
          balance: amount(),
          leaseIn: amount(),
          leaseOut: amount(),
          unbonding: amount(),
        });
  }

  shrink(): void {
    this.layers.length = Math.max(1, this.layers.length - 1 - this.random.below(5));
  }
}

test.each([5, 40, 80])(
  "says what a search says, on a chain that goes back now and then (%i in 100)",
  (chance) => {
    const random = new SeededRandom(chance);
    const chain = new Balances(random, chance);
    const remembered = new GeneratingBalanceCache();
    const seen = new Set<bigint>();
    let liquid = 0;
    for (let step = 0; step < 1_700; step++) {
      if (random.chance(3)) chain.shrink();
      else chain.grow();
      const ledger = new StoredLedger(chain.rows);
      if (ledger.height === 0) continue;
      // Some are read at every height, one rarely.
      for (const address of random.chance(2) ? accounts : accounts.slice(0, 2)) {
        const balance = remembered.balanceOf(chain.rows, ledger, address);
        seen.add(balance);
        // A search is expensive if accounts change often.
        if (chance > 5 && step % 16 !== 0) continue;
        expect(balance).toBe(generatingBalance(ledger, address, ledger.height));
        const { height, persistedHeight } = ledger;
        const persisted = persistedGeneratingBalance(ledger, address, height, persistedHeight);
        expect(remembered.persistedBalanceOf(chain.rows, ledger, address)).toBe(persisted);
        if (persisted !== balance) liquid++;
      }
      if (chain.layers.length > 60) {
        // Deep layers are slow: merge them, as a commit does.
        const flat = new Overlay();
        for (const layer of chain.layers) layer.mergeInto(flat);
        chain.layers.splice(0, chain.layers.length, flat);
      }
    }
    expect(new StoredLedger(chain.rows).height).toBeGreaterThan(1_050);
    expect(seen.size).toBeGreaterThan(5);
    expect(liquid).toBeGreaterThan(0);
  },
);
