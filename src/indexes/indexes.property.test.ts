/** Compares the indexes with simple models, and checks that undoing a unit leaves nothing. */
import { afterAll, describe, expect, it } from "vitest";
import { bytesKey } from "../bytes/compare.ts";
import { encodeHex } from "../bytes/hex.ts";
import { addressText } from "../crypto/addresses.ts";
import type { ListPosition } from "../interfaces.ts";
import type { Place } from "../storage/places.ts";
import { journaledRows } from "../storage/testing/dump.ts";
import { SeededRandom } from "../testing/seeded-random.ts";
import { definitionOf } from "../transactions/index.ts";
import { allIndexes } from "./all.ts";
import { AnchorQuery } from "./anchors/query.ts";
import { AssociatedAddressQuery } from "./associations/query.ts";
import type { ChainIndex, UnitInCommit } from "./chain-index.ts";
import { identityFacts } from "./identities/did-records.ts";
import type { IndexMode } from "./modes.ts";
import { addresses, IndexChain, randomIndexChain, timeOf } from "./testing/index-chain.ts";
import { sourceOf } from "./testing/query-source.ts";
import { transactionGroups } from "./transactions/groups.ts";
import { type BlockTimes, groupPageOf, nodeListOf } from "./transactions/query.ts";
import { TrustQuery } from "./trust/query.ts";
import { hasRoleGrant } from "./trust/roles.ts";
import type { TrustSettings } from "./trust/settings.ts";
import { parseTrustNetwork } from "./trust/trust-network.ts";

const CHAINS = 60;
const UNITS = 40;

const trust: TrustSettings = {
  network: parseTrustNetwork(`{
    "root": { "issues": [{ "type": 1, "role": "a" }, { "type": 1, "role": "b" }, { "type": 3, "role": "ghost" }] },
    "a": { "issues": [{ "type": 1, "role": "a" }, { "type": 2, "role": "b" }] },
    "b": { "issues": [{ "type": 2, "role": "b" }] }
  }`),
  root: addresses[0],
};

function indexesOf(mode: IndexMode): readonly ChainIndex[] {
  return allIndexes({ trust, anchors: mode, associations: mode });
}

const chains = new Map<string, IndexChain>();
afterAll(() => chains.clear());

/** Returns a random chain, shared by all tests: only the last test changes it. */
function randomChain(seed: number, mode: IndexMode): IndexChain {
  const name = `${mode} ${seed}`;
  const chain = chains.get(name) ?? randomIndexChain(new SeededRandom(seed), indexesOf(mode), UNITS);
  chains.set(name, chain);
  return chain;
}

interface Entry {
  readonly unit: UnitInCommit;
  readonly place: UnitInCommit["transactions"][number];
}

function entriesOf(chain: IndexChain): Entry[] {
  return chain.units.flatMap((unit) => unit.transactions.map((place) => ({ unit, place })));
}

function each(
  check: (chain: IndexChain, mode: IndexMode) => void,
  modes: readonly IndexMode[] = ["all"],
): void {
  for (const mode of modes) for (let seed = 1; seed <= CHAINS; seed++) check(randomChain(seed, mode), mode);
}

describe("indexes of random chains", () => {
  it("find the first anchor of a hash, and the pairs of a key, newest first", () => {
    let anchored = 0;
    each((chain) => {
      const entries = entriesOf(chain);
      for (let n = 0; n < 12; n++) {
        const hash = Uint8Array.of(n);
        const holds = (values: readonly Uint8Array[]) => values.some(([byte]) => byte === n);
        const first = entries.find(
          ({ place: { transaction } }) =>
            (transaction.type === 15 && holds(transaction.anchors)) ||
            (transaction.type === 22 && holds(transaction.anchors.map(([, value]) => value))),
        );
        const expected = first && {
          transactionId: encodeHex(first.place.id),
          height: first.unit.height,
          position: first.place.position,
        };
        const found = new AnchorQuery(sourceOf(chain.store)).first(hash);
        expect(found && { ...found, transactionId: encodeHex(found.transactionId) }).toEqual(expected);
        if (found !== undefined) anchored++;
        const pairs = entries.toReversed().flatMap(({ unit, place: { transaction, position } }) => {
          const own = transaction.type === 22 ? transaction.anchors.filter(([key]) => key[0] === n) : [];
          return own.map(([, value]) => `${unit.height}/${position} ${encodeHex(value)}`);
        });
        expect(
          [...new AnchorQuery(sourceOf(chain.store)).mapped(hash)].map(
            ({ height, position, value }) => `${height}/${position} ${encodeHex(value)}`,
          ),
        ).toEqual(pairs);
      }
    });
    expect(anchored).toBeGreaterThan(100);
  });

  it("list the transactions of an address, by group and as the node does", () => {
    let listed = 0;
    each((chain) => {
      const entries = entriesOf(chain);
      for (const [i, address] of addresses.entries()) {
        const key = bytesKey(address);
        const all = entries.map(({ unit, place }) => ({ ...place, height: unit.height }));
        const takesPart = all.filter(({ transaction }) => {
          const to = "recipient" in transaction ? transaction.recipient : undefined;
          return (
            bytesKey(transaction.senderAddress) === key ||
            (to !== undefined && bytesKey(to) === key) ||
            (transaction.type === 11 &&
              transaction.transfers.some(({ recipient }) => bytesKey(recipient) === key))
          );
        });
        for (const group of transactionGroups) {
          const right = takesPart
            .filter(({ transaction }) => group === "all" || definitionOf(transaction).groups?.includes(group))
            .sort(
              (a, b) =>
                Number(b.transaction.timestamp - a.transaction.timestamp) ||
                b.height - a.height ||
                b.position - a.position,
            )
            .map(({ height, position }) => `${height}/${position}`);
          const page = { offset: i, limit: 1 + 3 * i };
          const found = groupPageOf(chain.store, address, group, page, timesOf(chain));
          expect({ total: found.total, places: found.places.map(placeText) }).toEqual({
            total: right.length,
            places: right.slice(page.offset, page.offset + page.limit),
          });
          listed += found.places.length;
          // Page by page after cursors, one of which is not an existing place.
          const pages: string[] = [];
          let after: ListPosition | undefined = { timestamp: 2n ** 62n, height: 1, position: 0 };
          for (let places = found.places; after !== undefined; after = places.at(-1)) {
            places = groupPageOf(
              chain.store,
              address,
              group,
              { after, offset: 0, limit: 2 },
              timesOf(chain),
            ).places;
            pages.push(...places.map(placeText));
          }
          expect(pages).toEqual(right);
        }
        const own = all
          .filter((one) => one.addresses.some((other) => bytesKey(other) === key))
          .sort(
            (a, b) =>
              b.height - a.height ||
              Number(b.transaction.timestamp - a.transaction.timestamp) ||
              b.position - a.position,
          );
        const texts = (list: typeof own) => list.map(({ height, position }) => `${height}/${position}`);
        const inNode = (types: readonly number[], indexAll: boolean) =>
          Array.from(nodeListOf(chain.store, address, { types }, indexAll), placeText);
        expect(inNode([], true)).toEqual(texts(own));
        for (const [i, { height, position, transaction }] of own.entries()) {
          const after = { height, position, timestamp: transaction.timestamp };
          expect(Array.from(nodeListOf(chain.store, address, { types: [], after }, true), placeText)).toEqual(
            texts(own.slice(i + 1)),
          );
        }
        expect(inNode([4, 12], true)).toEqual(
          texts(own.filter(({ transaction }) => [4, 12].includes(transaction.type))),
        );
        expect(inNode([], false)).toEqual(
          texts(own.filter(({ transaction }) => [4, 11].includes(transaction.type))),
        );
      }
    });
    expect(listed).toBeGreaterThan(1_000);
  });

  it("keep the first key seen", () => {
    each((chain) => {
      const first = new Map<string, bigint>();
      for (const { place } of entriesOf(chain)) {
        const key = bytesKey(place.transaction.senderAddress);
        if (!first.has(key)) first.set(key, place.transaction.timestamp);
      }
      for (const address of addresses)
        expect(identityFacts(chain.store).key(address)?.created).toBe(first.get(bytesKey(address)));
    });
  });

  it("grant and revoke roles, and pair and part addresses, transaction by transaction", () => {
    let roles = 0;
    let pairs = 0;
    each(
      (chain, mode) => {
        const model = new Model(mode);
        for (const { unit, place } of entriesOf(chain))
          model.apply(place.transaction, `${unit.height}/${place.position}`);
        for (const address of addresses) {
          const found = new TrustQuery(sourceOf(chain.store, trust)).rolesOf(address).roles;
          expect(found).toEqual(model.roles(addressText(address)));
          expect(hasRoleGrant(chain.store, address)).toBe(model.given(addressText(address)));
          roles += found.length;
          const tied = new AssociatedAddressQuery(sourceOf(chain.store)).of(address);
          const children = tied.children.map(addressText);
          expect(children).toEqual(model.children(addressText(address)));
          expect(tied.parents.map(addressText)).toEqual(model.parents(addressText(address)));
          pairs += children.length;
        }
        for (let n = 0; n < 12; n++) {
          const found = new AnchorQuery(sourceOf(chain.store)).first(Uint8Array.of(n));
          expect(found && placeText(found)).toBe(model.anchors.get(n));
        }
      },
      ["all", "trust", "none"],
    );
    expect(roles).toBeGreaterThan(2 * CHAINS);
    expect(pairs).toBeGreaterThan(CHAINS);
  });

  it("hold the rows of the remaining units, and nothing of undone ones", () => {
    each(
      (chain, mode) => {
        const rebuilt = new IndexChain(indexesOf(mode), chain.units);
        expect(journaledRows(chain.store)).toEqual(journaledRows(rebuilt.store));
        while (chain.units.length > 0) chain.undo();
        expect(journaledRows(chain.store)).toEqual([]);
      },
      ["all", "trust", "none"],
    );
  });
});

function timesOf(chain: IndexChain): BlockTimes {
  return { height: chain.height, timestampOf: timeOf };
}

function placeText({ height, position }: Place): string {
  return `${height}/${position}`;
}

/** Roles, pairs and anchors by the text of page 07 §9 and §10. */
class Model {
  readonly anchors = new Map<number, string>();
  readonly #roles = new Map<string, string[]>();
  readonly #pairs = new Set<string>();
  readonly #mode: IndexMode;

  constructor(mode: IndexMode) {
    this.#mode = mode;
  }

  apply(transaction: UnitInCommit["transactions"][number]["transaction"], place: string): void {
    const { type } = transaction;
    const sender = addressText(transaction.senderAddress);
    if (type === 16 || type === 17) {
      const recipient = addressText(transaction.recipient);
      const issued = this.roles(sender).flatMap((name) => trust.network.get(name)?.issues ?? []);
      for (const { type: by, role } of issued) {
        if (by !== transaction.associationType) continue;
        const held = (this.#roles.get(recipient) ?? []).filter((one) => type === 16 || one !== role);
        if (type === 16 && !held.includes(role)) held.push(role);
        this.#roles.set(recipient, held);
      }
      if (this.#mode === "none" || (this.#mode === "trust" && !this.given(sender))) return;
      if (type === 16) this.#pairs.add(`${sender} ${recipient}`);
      else {
        this.#pairs.delete(`${sender} ${recipient}`);
        this.#cut(recipient);
      }
      return;
    }
    if (this.#mode === "none" || (this.#mode === "trust" && this.roles(sender).length === 0)) return;
    const hashes: readonly Uint8Array[] =
      type === 15 ? transaction.anchors : type === 22 ? transaction.anchors.map(([, value]) => value) : [];
    for (const [byte] of hashes) if (!this.anchors.has(byte)) this.anchors.set(byte, place);
  }

  roles(address: string): string[] {
    const own = trust.root !== undefined && addressText(trust.root) === address ? ["root"] : [];
    return [...own, ...(this.#roles.get(address) ?? [])].filter((role) => trust.network.has(role));
  }

  given(address: string): boolean {
    return (this.#roles.get(address) ?? []).length > 0;
  }

  children(address: string): string[] {
    return this.#ends(0, address, 1);
  }

  parents(address: string): string[] {
    return this.#ends(1, address, 0);
  }

  #cut(address: string): void {
    for (const child of this.children(address)) {
      this.#pairs.delete(`${address} ${child}`);
      this.#cut(child);
    }
  }

  #ends(at: number, address: string, wanted: number): string[] {
    return Array.from(this.#pairs, (pair) => pair.split(" "))
      .filter((pair) => pair[at] === address)
      .map((pair) => pair[wanted])
      .sort();
  }
}
