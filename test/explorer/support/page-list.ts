/** Pages that the tests open one by one. */
import { alice, bob, certified, mallory, north, scripted, south } from "./accounts.ts";
import * as hostile from "./hostile.ts";
import type { Shared } from "./shared.ts";
import { anchoredHash } from "./story.ts";

export interface ListedPage {
  /** Also the name of its picture. */
  readonly name: string;
  /** Path below the base. */
  readonly path: (shared: Shared) => string;
  /** Texts that the page must contain. */
  readonly texts?: readonly string[];
  /** True if the page requests something missing, which browsers log. */
  readonly asksInVain?: boolean;
  /** True if the page is only opened for pictures, since it differs little from others. */
  readonly minor?: boolean;
}

const { BREAK_OUT, MARKUP, SCRIPT, SCRIPT_URL } = hostile;

const transaction =
  (name: string) =>
  (shared: Shared): string =>
    `transaction/${shared.id(name)}`;
const account =
  (of: typeof alice, tab: string) =>
  (shared: Shared): string =>
    `address/${shared.address(of)}${tab === "" ? "" : `?tab=${tab}`}`;
const identity =
  (of: typeof alice, query = "") =>
  (shared: Shared): string =>
    `identity/${shared.did(of)}${query}`;

export const listedPages: readonly ListedPage[] = [
  { name: "overview", path: () => "" },
  { name: "block", path: ({ node }) => `block/${node.heightOf("transfer")}` },
  { name: "block-genesis", path: () => "block/1", minor: true },
  { name: "block-empty", path: () => "block/3", minor: true },
  {
    name: "block-hostile",
    path: ({ node }) => `block/${node.heightOf("hostile transfer 0")}`,
    texts: [MARKUP],
  },
  { name: "block-liquid", path: ({ node }) => `block/${node.teller.height}`, minor: true },
  { name: "transaction", path: transaction("transfer"), texts: ["rent for March"] },
  { name: "transaction-mass-transfer", path: transaction("mass transfer"), minor: true },
  { name: "transaction-anchor", path: transaction("many anchors"), minor: true },
  { name: "transaction-script", path: transaction("set script"), minor: true },
  { name: "transaction-certificate", path: transaction("certificate"), minor: true },
  { name: "transaction-co-signed", path: transaction("co-signed"), minor: true },
  { name: "transaction-lease", path: transaction("ended lease"), minor: true },
  { name: "transaction-association", path: transaction("hostile association 1"), minor: true },
  {
    name: "transaction-data",
    path: transaction("hostile data"),
    texts: [MARKUP, SCRIPT, BREAK_OUT, "__proto__"],
  },
  { name: "address", path: account(alice, ""), minor: true },
  { name: "address-transactions", path: account(scripted, "transactions") },
  { name: "address-changes", path: account(scripted, "changes"), minor: true },
  { name: "address-data", path: account(alice, "data"), minor: true },
  { name: "address-data-hostile", path: account(mallory, "data"), texts: [MARKUP, SCRIPT, "__proto__"] },
  { name: "address-associations", path: account(alice, "associations"), texts: [MARKUP] },
  { name: "address-identity", path: account(alice, "identity"), minor: true },
  { name: "address-script", path: account(scripted, "script") },
  { name: "address-sponsors", path: account(bob, "sponsors"), minor: true },
  { name: "address-certificate", path: account(certified, "certificate"), texts: [SCRIPT] },
  { name: "address-forger", path: account(north, ""), minor: true },
  { name: "identity", path: identity(alice), texts: ["https://alice.example"] },
  { name: "identity-hostile", path: identity(mallory), texts: [SCRIPT_URL] },
  { name: "identity-deactivated", path: identity(south), asksInVain: true },
  { name: "anchor", path: () => "anchor" },
  { name: "anchor-checked", path: () => `anchor/${anchoredHash}` },
  { name: "blocks", path: () => "blocks" },
  { name: "transactions", path: () => "transactions?type=transfer", texts: ["Export"] },
  { name: "largest", path: () => "largest?period=week" },
  { name: "richest", path: () => "richest" },
  { name: "credential", path: () => "credential" },
  { name: "trust", path: () => "trust" },
  { name: "charts", path: () => "charts" },
  { name: "forgers", path: () => "forgers" },
  { name: "forger", path: (shared) => `forgers/${shared.address(north)}` },
  { name: "node", path: () => "node" },
  { name: "reorganisations", path: () => "reorganisations", minor: true },
  { name: "compare", path: () => "compare", minor: true },
  { name: "accounts", path: () => "accounts" },
  { name: "search", path: () => "search?q=contract" },
];

/** Pages of hostile texts. */
export const hostilePages: readonly ListedPage[] = [
  { name: "an attachment", path: transaction("hostile transfer 0"), texts: [MARKUP] },
  { name: "another attachment", path: transaction("hostile transfer 6"), texts: ["report"] },
  { name: "an attachment of control characters", path: transaction("hostile transfer 7") },
  { name: "an association", path: transaction("hostile association 1"), texts: [SCRIPT] },
  { name: "a statement", path: transaction("hostile statement 2"), texts: [BREAK_OUT] },
  { name: "long texts", path: transaction("hostile long data"), texts: ["WWWW"] },
  { name: "the longest statement", path: transaction("hostile huge statement"), texts: ["kkkk"] },
  { name: "services", path: transaction("hostile services"), texts: [SCRIPT_URL] },
  { name: "a search", path: () => `search?q=${encodeURIComponent(MARKUP)}`, texts: [MARKUP] },
  { name: "an address", path: () => `address/${encodeURIComponent(SCRIPT)}` },
  { name: "a path", path: () => `nowhere/${encodeURIComponent(BREAK_OUT)}` },
];
