/**
 * The scenarios of the reference node's own end-to-end suite and some more: every transaction type in each version and
 * with each key type, and every rejection. All run concurrently on one node.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type NodeProcess,
  removeFolder,
  startNodeProcess,
  temporaryFolder,
} from "../support/node-process.ts";
import { People } from "./people.ts";
import { accountScenarios } from "./scenarios/accounts.ts";
import { anchorScenarios } from "./scenarios/anchors.ts";
import { associationScenarios } from "./scenarios/associations.ts";
import { sponsorshipScenarios } from "./scenarios/sponsorships.ts";
import { tokenScenarios } from "./scenarios/tokens.ts";

const scenarios = [
  ...tokenScenarios,
  ...anchorScenarios,
  ...associationScenarios,
  ...sponsorshipScenarios,
  ...accountScenarios,
];

let node: NodeProcess;
const dataDir = temporaryFolder("end-to-end");
const results = new Map<string, PromiseSettledResult<void>>();

beforeAll(async () => {
  node = await startNodeProcess({ dataDir });
  const people = new People(node);
  const settled = await Promise.allSettled(scenarios.map((scenario) => scenario.run(people)));
  scenarios.forEach(({ name }, index) => {
    results.set(name, settled[index]);
  });
});

afterAll(async () => {
  const code = await node.stop();
  removeFolder(dataDir);
  expect(code).toBe(0);
});

test("scenarios have unique names", () => {
  expect(new Set(scenarios.map(({ name }) => name)).size).toBe(scenarios.length);
});

test.each(scenarios.map(({ name }) => name))("%s", (name) => {
  const result = results.get(name);
  if (result?.status === "rejected") throw result.reason;
  expect(result?.status).toBe("fulfilled");
});
