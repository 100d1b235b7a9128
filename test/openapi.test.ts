/** The description is true: a node of the development network is asked for everything, and held to it. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { answersOf } from "../src/api/http/openapi-answers.ts";
import { examplesOf } from "../src/api/http/openapi-examples.ts";
import type { Route } from "../src/api/http/route.ts";
import { routes } from "../src/api/routes/all.ts";
import { checkAnswer } from "../src/client/testing/check-answer.ts";
import { exampleAnswersSource, type RecordedAnswers } from "./support/example-answers-source.ts";
import { type ExampleNode, exampleNode } from "./support/example-node.ts";
import { ask, exampleRequest, makeHistory, type SentRequest } from "./support/example-requests.ts";

const recorded: RecordedAnswers = new Map();
let example: ExampleNode;

const keyOf = ({ method, path }: Route): string => `${method} ${path}`;

/** Those that end something come last. */
const LAST = ["POST /debug/rollback", "DELETE /debug/rollback-to/:signature", "POST /node/stop"];

/** Routes that a node of this network, which has no neighbours and whose key nobody has, can only refuse. */
const ONLY_REFUSES: readonly string[] = [
  "POST /blocks/checkpoint",
  "GET /certificates/:address",
  "GET /certificates/:address/raw",
  "POST /peers/connect",
];

/** Asks, and keeps the first answer of a status that is the route's own. */
async function record(route: Route, request: SentRequest): Promise<void> {
  const answer = await ask(example, request);
  checkAnswer(request.method, request.url, answer);
  const described = answersOf(route).get(answer.status);
  if (described === undefined || "shared" in described) return;
  const answers = recorded.get(keyOf(route)) ?? new Map();
  if (!answers.has(answer.status)) answers.set(answer.status, answer);
  recorded.set(keyOf(route), answers);
}

beforeAll(async () => {
  example = await exampleNode();
  const special = await makeHistory(example);
  const inOrder = [
    ...routes.filter((route) => !LAST.includes(keyOf(route))),
    ...LAST.flatMap((key) => routes.filter((route) => keyOf(route) === key)),
  ];
  for (const route of routes) recorded.set(keyOf(route), new Map());
  for (const route of inOrder) await record(route, exampleRequest(route, special[keyOf(route)]));
});
afterAll(() => example.node.stop());

describe("every route has examples", () => {
  test.each(routes.map((route) => [keyOf(route), route] as const))("%s", (key, route) => {
    const { path, query, body } = examplesOf(route, {});
    expect(Object.keys(path)).toEqual(Object.keys(route.params ?? {}));
    expect(Object.keys(query)).toEqual(Object.keys(route.query ?? {}));
    expect(body !== undefined, "an example of the body").toBe(route.body !== undefined);
    const [status] = answersOf(route).keys();
    const refused = ONLY_REFUSES.includes(key);
    expect(recorded.get(key)?.has(Number(status)), `an answer with ${status}`).toBe(!refused);
  });

  test("as they are written down", async () => {
    const file = "../src/api/http/example-answers.ts";
    await expect(exampleAnswersSource(recorded)).toMatchFileSnapshot(file);
  });
});
