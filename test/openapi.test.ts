/** The API description is correct: a node of the development network answers every request of it as described. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { answersOf } from "../src/api/openapi/answers.ts";
import { examplesOf } from "../src/api/openapi/examples.ts";
import type { Route } from "../src/api/route.ts";
import { routes } from "../src/api/routes/all.ts";
import { checkAnswer, routeOf } from "../src/client/testing/check-answer.ts";
import { badRequests } from "./support/bad-requests.ts";
import { exampleAnswersJson, type RecordedAnswers } from "./support/example-answers.ts";
import { type ExampleNode, exampleNode, START } from "./support/example-node.ts";
import { ask, exampleRequest, makeHistory, type SentRequest } from "./support/example-requests.ts";

const recorded: RecordedAnswers = new Map();
const seen = new Set<string>();
let example: ExampleNode;

const keyOf = ({ method, path }: Route): string => `${method} ${path}`;

/** Routes that stop something come last. */
const STOP = "POST /node/stop";
const LAST = ["POST /debug/rollback", "DELETE /debug/rollback-to/:signature", STOP];

/** Routes that a node of this network rejects, since it has no peers and no known checkpoint key. */
const ONLY_REFUSES: readonly string[] = [
  "POST /blocks/checkpoint",
  "GET /certificates/:address",
  "GET /certificates/:address/raw",
  "POST /peers/connect",
  "POST /peers/ban",
  "POST /peers/unban",
];

/** Described answers that this node never gives. */
const NEVER_HERE: readonly string[] = [
  "POST /blocks/checkpoint: 200",
  // Only nodes that gather hashes give this one.
  "POST /hash: 202",
  "POST /hash: 401",
  // Every account in the examples has revealed its key.
  "GET /identities/:address/versions: 404",
  "POST /wallet/addresses: 400",
  "GET /events: 503",
  // Covered by `src/unit-sources/http-unit-source.test.ts` and `src/api/units/subscriptions.test.ts`.
  "GET /units: 409",
  "GET /units: 503",
  "GET /certificates/:address: 200",
  "GET /certificates/:address: 500",
  "GET /certificates/:address/raw: 200",
  "GET /stats/supply/:from/:to: 404",
  "GET /stats/generators/:from/:to: 404",
  "GET /stats/days: 404",
  "GET /stats/generator/:address: 404",
  "GET /health/live: 503",
  "GET /health/ready: 503",
  "GET /health: 400",
  "POST /peers/connect: 200",
  "POST /peers/ban: 200",
  "POST /peers/unban: 200",
];

/**
 * Sends a request, checks the answer against the description, and keeps it for its status if that is the route's own.
 * @param isExample whether it replaces an answer kept before
 */
async function record(route: Route, request: SentRequest, isExample: boolean): Promise<void> {
  const answer = await ask(example, request);
  checkAnswer(request.method, request.url, answer);
  if (routeOf(request.method, request.url) !== route) return;
  const described = answersOf(route).get(answer.status);
  if (described === undefined || "shared" in described) return;
  for (const [name, { required }] of Object.entries(described.headers ?? {}))
    if (required) expect(answer.headers, request.url).toHaveProperty(name.toLowerCase());
  seen.add(`${keyOf(route)}: ${answer.status}`);
  if (Object.keys(described.content).length === 0) return;
  const answers = recorded.get(keyOf(route)) ?? new Map();
  if (isExample || !answers.has(answer.status)) answers.set(answer.status, answer);
  recorded.set(keyOf(route), answers);
}

beforeAll(async () => {
  example = await exampleNode();
  const special = await makeHistory(example);
  const last = LAST.flatMap((key) => routes.filter((route) => keyOf(route) === key));
  const others = routes.filter((route) => !last.includes(route));
  const good = (route: Route) => record(route, exampleRequest(route, special[keyOf(route)]), true);
  for (const route of routes) recorded.set(keyOf(route), new Map());
  for (const route of others) await good(route);
  for (const route of [...others, ...last]) {
    for (const request of keyOf(route) === STOP ? [] : badRequests(route))
      await record(route, request, false);
  }
  for (const route of last) await good(route);
});
afterAll(() => example.node.stop());

describe("every route has examples", () => {
  test.each(routes.map((route) => [keyOf(route), route] as const))("%s", (key, route) => {
    const { path, query, body } = examplesOf(route, {}, START);
    expect(Object.keys(path)).toEqual(Object.keys(route.request?.params ?? {}));
    expect(Object.keys(query)).toEqual(Object.keys(route.request?.query ?? {}));
    expect(body !== undefined, "an example of the body").toBe(route.request?.body !== undefined);
    const [status] = answersOf(route).keys();
    const refused = ONLY_REFUSES.includes(key);
    expect(recorded.get(key)?.has(Number(status)), `an answer with ${status}`).toBe(!refused);
  });

  test("every documented answer has an example", () => {
    const missing = routes.flatMap((route) =>
      [...answersOf(route)]
        // All indexes are complete here. `src/node/index-switching.test.ts` covers others.
        .filter(
          ([status, answer]) =>
            !("shared" in answer || (route.cost?.indexes !== undefined && status === 503)),
        )
        .map(([status]) => `${keyOf(route)}: ${status}`)
        .filter((answer) => !seen.has(answer)),
    );
    expect(missing).toEqual(NEVER_HERE);
  });

  test("the stored example answers are current", async () => {
    const file = "../src/api/openapi/example-answers.json";
    await expect(exampleAnswersJson(recorded)).toMatchFileSnapshot(file);
  });
});

/** Requests that fail on a node with only the genesis block, with their answers. */
const NOT_FRESH: Readonly<Record<string, number>> = {
  // The checkpoint key is unknown.
  "POST /blocks/checkpoint": 400,
  // No block has been reverted.
  "GET /blocks/reverted/:signature": 404,
  "GET /blocks/delay/:signature/:blockNum": 500,
  // An account has a document once a transaction that it signed is confirmed.
  "GET /identities/:address": 404,
  "GET /identities/:address/derived/:secret": 404,
  "GET /identities/:address/versions": 404,
  "GET /identifiers/:did": 404,
  "GET /1.0/identifiers/:did": 404,
  "GET /addresses/data/:address/:key": 404,
  "POST /leasing/cancel": 400,
  "GET /transactions/address/:address/limit": 400,
  "GET /transactions/info": 400,
  "GET /transactions/unconfirmed/info": 400,
  "GET /transactions/unconfirmed/info/:id": 404,
  "GET /certificates/:address": 404,
  "GET /certificates/:address/raw": 404,
  // P2P is disabled.
  "POST /peers/connect": 400,
  "POST /peers/ban": 400,
  "POST /peers/unban": 400,
};

test("examples work unchanged on a fresh node", async () => {
  const fresh = await exampleNode();
  fresh.clock.advance(6_000);
  const last = LAST.flatMap((key) => routes.filter((route) => keyOf(route) === key));
  const inOrder = [...routes.filter((route) => !last.includes(route)), ...last];
  const failed: Record<string, number> = {};
  for (const route of inOrder) {
    const { status } = await ask(fresh, exampleRequest(route));
    if (status !== 200 && status !== 308) failed[keyOf(route)] = status;
  }
  expect(failed).toEqual(NOT_FRESH);
  await fresh.node.stop();
});
