import { afterEach, expect, test } from "vitest";
import {
  addressLink,
  anchorLink,
  blockLink,
  identityLink,
  pageLink,
  searchLink,
  setLinkedNode,
} from "./links.ts";

afterEach(() => setLinkedNode(undefined));

test("links are relative and encode each segment", () => {
  expect(pageLink()).toBe("./");
  expect(blockLink(5)).toBe("block/5");
  expect(identityLink("did:lto:3N/x?y#z")).toBe("identity/did:lto:3N%2Fx%3Fy%23z");
  expect(addressLink("3N", "leases")).toBe("address/3N?tab=leases");
  expect(addressLink("3N")).toBe("address/3N");
  expect(anchorLink()).toBe("anchor");
  expect(searchLink("a b&c")).toBe("search?q=a+b%26c");
});

test("every link keeps the selected node", () => {
  setLinkedNode("http://127.0.0.1:7000/node/");
  expect(pageLink()).toBe("./?node=http%3A%2F%2F127.0.0.1%3A7000%2Fnode%2F");
  expect(searchLink("5")).toBe("search?q=5&node=http%3A%2F%2F127.0.0.1%3A7000%2Fnode%2F");
});
