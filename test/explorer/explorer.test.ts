/**
 * The explorer in a real browser, over a whole node with transactions of every type and hostile texts.
 * `npm run screenshots` runs the first group and keeps pictures.
 */
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { definitions } from "../../src/transactions/index.ts";
import { chromiumPath } from "../support/chromium.ts";
import { describeAnchor } from "./sections/anchor.ts";
import { describeCharts } from "./sections/charts.ts";
import { describeCredentials } from "./sections/credential.ts";
import { describeExports } from "./sections/exports.ts";
import { describeLabels } from "./sections/labels.ts";
import { describeLanguages } from "./sections/languages.ts";
import { describeLists } from "./sections/lists.ts";
import { describeLive } from "./sections/live.ts";
import { describeNavigation } from "./sections/navigation.ts";
import { describeOwnAccounts } from "./sections/own-accounts.ts";
import { describePages } from "./sections/pages.ts";
import { describeTrouble } from "./sections/trouble.ts";
import { Shared } from "./support/shared.ts";

const title = "the page that shows the chain";
const possible = chromiumPath !== undefined;

if (!possible) it.skip(`${title}: no Chromium is found`, () => {});

describe.runIf(possible)(title, () => {
  let shared: Shared;
  const get = (): Shared => shared;
  beforeAll(async () => {
    shared = await Shared.start();
  });
  afterAll(() => shared.stop());

  test("has a chain with transactions of every type", async () => {
    const answer = await fetch(`${shared.node.url}/blocks/seq/1/40`);
    const blocks = (await answer.json()) as { readonly transactions: readonly { readonly type: number }[] }[];
    const types = new Set(blocks.flatMap(({ transactions }) => transactions.map(({ type }) => type)));
    expect([...types].sort((a, b) => a - b)).toEqual(definitions.map(({ type }) => type));
  });

  describePages(get);
  describeNavigation(get);
  describeLanguages(get);
  describeLabels(get);
  describeLists(get);
  describeCharts(get);
  describeExports(get);
  describeCredentials(get);
  describeTrouble(get);
  describeAnchor(get);
  describeOwnAccounts(get);
  // Last, since these tests change the chain.
  describeLive(get);
});
