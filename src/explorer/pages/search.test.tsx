import { expect, test } from "vitest";
import { renderPage, testContext } from "../testing/page-context.ts";
import { ScriptedNode } from "../testing/scripted-node.ts";
import { searchPage } from "./search.tsx";

const ADDRESS = "3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt";
const ID = "BtBa1PzKM5tcx5D2TwDL95vRxmff6SMCBgnTPHyaEAU8";

async function render(q: string, answers: Readonly<Record<string, unknown>> = {}) {
  const node = new ScriptedNode();
  node.answers.set("/blocks/headers/at/1", { json: { generator: ADDRESS, signature: "g" } });
  node.answers.set("/blocks/height", { json: { height: 98 } });
  for (const [path, json] of Object.entries(answers)) node.answers.set(path, { json });
  return renderPage(searchPage, {}, await testContext(node.fetch), new URLSearchParams({ q }));
}

test("opens the only match", async () => {
  const { text, html } = await render(` ${ADDRESS} `);
  expect(text).toMatch(/^ Found .* Address/);
  expect(html).toContain(`href="address/${ADDRESS}"`);
});

test("lists several matches", async () => {
  const { text, html } = await render(ID, {
    [`/transactions/info/${ID}`]: { type: 4, height: 1_234 },
    "/hash/9fa5b4c6": {},
    [`/addresses/publicKey/${ID}`]: { address: ADDRESS },
    [`/identities/${ADDRESS}`]: {},
  });
  expect(text).toContain("Several matches");
  expect(text).toContain("Transaction in block 1,234");
  expect(html).toContain(`href="transaction/${ID}"`);
  expect(html).toContain(`href="address/${ADDRESS}"`);
});

test("explains where it searched if nothing was found", async () => {
  const { text, html } = await render(ID);
  expect(text).toContain("Nothing found");
  expect(text).toContain("wait for it");
  expect(text).toContain("The node's chain ends at height 98.");
  expect(html).toContain(`href="transaction/${ID}"`);
});

test("escapes the text if it matches nothing", async () => {
  const { text, html } = await render("<img src=x>\u202e and more");
  expect(text).toContain("No block, transaction, address, DID or hash matches this text.");
  expect(text).toContain("<img src=x>⟨U+202E⟩ and more");
  expect(html).not.toContain("<img");
  expect((await render("")).text).toContain("Enter a height");
});

test("lists what begins with the text if nothing was found", async () => {
  const { text, html } = await render(ID.slice(0, 10), {
    [`/suggestions/${ID.slice(0, 10)}`]: [{ kind: "transaction", text: ID, height: 7 }],
  });
  expect(text).toContain(`Begins with this text Searched for ${ID.slice(0, 10)} Transaction ${ID}`);
  expect(html).toContain(`href="transaction/${ID}"`);
});

test("leads from the subject of statements to the identity of their signer", async () => {
  const { text, html } = await render(ID, {
    [`/credential-status/${ID}?limit=1`]: {
      id: ID,
      statements: [{ signer: { id: `did:lto:${ADDRESS}#sign` } }],
    },
  });
  expect(text).toContain("Subject of statements, such as a credential");
  expect(html).toContain(`href="identity/did:lto:${ADDRESS}?credential=${ID}"`);
});
