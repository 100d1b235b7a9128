/** The API page in a real browser: its requests are filled in, and the node accepts them unchanged. */
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromiumPath, startChromium } from "./support/chromium.ts";
import { type ExampleNode, exampleNode } from "./support/example-node.ts";

const title = "the page of the description";
const possible = chromiumPath !== undefined;

if (!possible) it.skip(`${title}: no Chromium is found`, () => {});

describe.runIf(possible)(title, () => {
  let example: ExampleNode;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    example = await exampleNode();
    example.clock.advance(6_000);
    await example.server.listen({ host: "127.0.0.1", port: 0 });
    browser = await startChromium();
    page = await browser.newPage();
    const { port } = example.server.server.address() as AddressInfo;
    await page.goto(`http://127.0.0.1:${port}/api-docs/`);
  });
  afterAll(async () => {
    await browser.close();
    await example.node.stop();
  });

  it.each([
    ["blocks", "getBlocksAtHeight", "/blocks/at/1"],
    ["transactions", "postTransactionsBroadcast", "/transactions/broadcast"],
  ])("%s: %s is sent as it stands", async (tag, id, path) => {
    const operation = page.locator(`#operations-${tag}-${id}`);
    await page.locator(`#operations-tag-${tag}`).click();
    await operation.locator(".opblock-summary-control").click();
    await operation.getByRole("button", { name: "Try it out" }).click();
    const answered = page.waitForResponse((one) => new URL(one.url()).pathname === path);
    await operation.getByRole("button", { name: "Execute" }).click();
    const answer = await answered;
    expect(answer.status()).toBe(200);
    expect(await answer.text()).toContain('"id":');
  });
});
