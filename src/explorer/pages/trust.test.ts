import { expect, test } from "vitest";
import { renderPage, testContext } from "../testing/page-context.ts";
import { ScriptedNode } from "../testing/scripted-node.ts";
import { buildTrustGraph, grantsOf, rolesOf } from "./trust/graph.ts";
import { trustPage } from "./trust.tsx";

const ROOT = "3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt";
const ALICE = "3QJHT5Q4LSmjQk1VeNRo6UMib4bBf3Wa4XR";
const BOB = "3QEHji9fpe4jrrhihLmYPR7ze7XzMRNGcCM";
const CAROL = "3QTHpfsiZDTve8YWvQWK2V1eUn2CF3xBA6m";
const holder = (address: string, role: string, sender: string, type: number) => ({
  address,
  roles: [{ role, sender, type }],
});
const accounts = [
  holder(BOB, "university", ALICE, 101),
  holder(ALICE, "authority", ROOT, 100),
  holder(CAROL, "inspector", ALICE, 102),
];

async function page(answer: object, query: Readonly<Record<string, string>> = {}) {
  const node = new ScriptedNode();
  node.answers.set("/blocks/headers/at/1", { json: { generator: ROOT } });
  node.answers.set("/roles?limit=1000", { json: answer });
  const context = await testContext(node.fetch);
  return renderPage(trustPage, {}, context, new URLSearchParams(query));
}

test("draws accounts by distance from the root, and lists the same grants", async () => {
  const { html, text } = await page({ root: ROOT, accounts });
  const boxes = [...html.matchAll(/<foreignObject x="(\d+)"[^>]*>.*?href="address\/(\w+)"/g)];
  expect(Object.fromEntries(boxes.map(([, x, address]) => [address, Number(x)]))).toEqual({
    [ROOT]: 8,
    [ALICE]: 378,
    [BOB]: 748,
    [CAROL]: 748,
  });
  expect(text).toContain("authority 1 inspector 1 university 1");
  expect(text).toMatch(new RegExp(`${BOB}[^3]*university ${ALICE} 101`));
  expect(html).toContain("the list below has the same content");
});

test("filters by role, and escapes role names", async () => {
  const hostile = "<script>\u202e";
  const more = [...accounts, holder(CAROL, hostile, BOB, 103)];
  const { html, text } = await page({ root: ROOT, accounts: more }, { role: hostile });
  expect(html).not.toContain("<script");
  expect(text).toContain("<script>⟨U+202E⟩");
  expect(html.match(/<foreignObject/g)).toHaveLength(2);
  expect(text).toContain("1 shown");
  expect(text).not.toContain("keys and services 3Q");
  expect((await page({ root: ROOT, accounts }, { role: "root" })).text).toContain(
    "no account granted this role",
  );
  expect((await page({ root: ROOT, accounts }, { role: "gone" })).text).toContain(
    "No account has this role.",
  );
});

test("explains an empty network and a missing root", async () => {
  expect((await page({ root: ROOT, accounts: [] })).text).toContain("No roles granted.");
  expect((await page({ root: null, accounts: [] })).text).toContain("This node has no root of trust.");
});

test("places cyclic grants and grants not reached from the root", () => {
  const grants = grantsOf([
    { address: "a", roles: [{ role: "x", sender: "root", type: 1n }] },
    {
      address: "root",
      roles: [{ role: "y", sender: "a", type: 1n }],
    },
    { address: "c", roles: [{ role: "x", sender: "gone", type: 1n }] },
  ]);
  const { nodes } = buildTrustGraph(grants, "root");
  expect(Object.fromEntries(nodes.map(({ id, rank }) => [id, rank]))).toEqual({
    root: 0,
    a: 1,
    c: 2,
    gone: 2,
  });
  expect(rolesOf(grants)).toEqual([
    { role: "x", count: 2 },
    { role: "y", count: 1 },
  ]);
  expect(buildTrustGraph(grants, undefined, "y").nodes.map(({ id }) => id)).toEqual(["a", "root"]);
});
