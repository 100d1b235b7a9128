import { expect, it } from "vitest";
import { addressText } from "../crypto/addresses.ts";
import { allIndexes } from "./all.ts";
import { AnchorQuery } from "./anchors/query.ts";
import { anchorIndex } from "./anchors/write.ts";
import { AssociatedAddressQuery } from "./associations/query.ts";
import { associatedAddressIndex } from "./associations/write.ts";
import { compositeIndex } from "./composite-index.ts";
import { addresses, IndexChain, people, timeOf, transactionOf, unitOf } from "./testing/index-chain.ts";
import { sourceOf } from "./testing/query-source.ts";
import { roleHolders } from "./trust/roles.ts";
import { defaultTrustNetwork, parseTrustNetwork } from "./trust/trust-network.ts";
import { trustIndex } from "./trust/write.ts";

it("reads the roles at the time of each transaction", () => {
  const trust = {
    network: parseTrustNetwork('{"root":{"issues":[{"type":1,"role":"member"}]},"member":{}}'),
    root: addresses[0],
  };
  const index = compositeIndex([
    trustIndex(trust),
    anchorIndex("trust", roleHolders(trust)),
    associatedAddressIndex("trust"),
  ]);
  const [root, member, third] = people;
  const time = timeOf(1);
  const association = (type: number, sender: typeof root, to: number, associationType: bigint) => {
    const members = { associationType, recipient: addresses[to], subject: undefined };
    return transactionOf(
      sender,
      type,
      type === 16 ? { ...members, expires: undefined, data: [] } : members,
      time,
    );
  };
  const anchor = (byte: number) => transactionOf(member, 15, { anchors: [Uint8Array.of(byte)] }, time);
  const chain = new IndexChain([index]);
  chain.apply(
    unitOf(1, 0, 0, [
      anchor(1),
      association(16, member, 3, 7n),
      association(16, root, 1, 1n),
      anchor(2),
      association(16, member, 4, 7n),
      association(16, third, 5, 7n),
      association(17, root, 1, 1n),
      anchor(3),
      association(16, member, 5, 7n),
    ]),
  );
  const anchored = [1, 2, 3].filter(
    (byte) => new AnchorQuery(sourceOf(chain.store)).first(Uint8Array.of(byte)) !== undefined,
  );
  expect(anchored).toEqual([2]);
  const children = addresses.map(
    (address) => new AssociatedAddressQuery(sourceOf(chain.store)).of(address).children,
  );
  // The root counts only for anchors: its role was not granted. Page 07 §9.6.
  expect(children.map((list) => list.map(addressText))).toEqual([
    [],
    [addressText(addresses[4])],
    [],
    [],
    [],
    [],
  ]);
});

it("depends on everything its parts depend on", () => {
  const parts = [anchorIndex("all"), associatedAddressIndex("trust")];
  expect(compositeIndex(parts).configuration).toEqual({
    names: ["anchors", "associations"],
    text: '["all","trust"]',
  });
});

it("holds anchors of role holders, including the root in every network", () => {
  const textOf = (anchors: "trust" | "all", root: Uint8Array) =>
    allIndexes({ trust: { network: defaultTrustNetwork, root }, anchors })
      .flatMap(({ configuration }) => configuration ?? [])
      .find(({ names }) => names.includes("anchors"))?.text;
  expect(textOf("trust", addresses[0])).not.toBe(textOf("trust", addresses[1]));
  expect(textOf("all", addresses[0])).toBe(textOf("all", addresses[1]));
});
