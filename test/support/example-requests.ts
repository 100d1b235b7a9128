/** The chain and the requests from which `example-node.ts` creates its example answers. */
import { BASE58_ID, ROOT, SECOND } from "../../src/api/openapi/dev-examples.ts";
import { examplesOf } from "../../src/api/openapi/examples.ts";
import type { Route, RouteExample } from "../../src/api/route.ts";
import { EVENT_STREAM, UNIT_STREAM } from "../../src/api/schemas/common.ts";
import { type ExampleNode, START } from "./example-node.ts";

export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** An answer as received. */
export interface SentAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

const FEE = 100_000_000;
const SIX_SECONDS = 6_000;

export async function ask({ server }: ExampleNode, request: SentRequest): Promise<SentAnswer> {
  const { method, url, body } = request;
  const answer = await server.inject({
    // The server knows all methods that occur here.
    method: method as "GET",
    url,
    headers: { host: "localhost", ...request.headers },
    ...(body === undefined ? {} : { payload: body }),
    payloadAsStream: true,
  });
  const contentType = String(answer.headers["content-type"]);
  let text = "";
  for await (const piece of answer.stream()) {
    text += piece;
    // An endless answer is represented by its beginning.
    if (contentType === UNIT_STREAM || (contentType === EVENT_STREAM && text.includes("\n\n"))) break;
  }
  return { status: answer.statusCode, contentType, headers: answer.headers, body: text };
}

/** Returns the request that the examples of a route describe. */
export function exampleRequest(route: Route, other: RouteExample = {}): SentRequest {
  const { path, query, body } = examplesOf(route, {}, START);
  const params = { ...path, ...other.params };
  const all = { ...query, ...other.query };
  const search = new URLSearchParams(
    Object.entries(all).map(([name, value]): [string, string] => [name, String(value)]),
  );
  const sent = other.body ?? body;
  return {
    method: route.method,
    url:
      route.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name]))) +
      (search.size > 0 ? `?${search}` : ""),
    ...(sent === undefined ? {} : { body: typeof sent === "string" ? sent : JSON.stringify(sent) }),
  };
}

/** Returns the id of the newest block. */
async function lastId(example: ExampleNode): Promise<string> {
  const last = await ask(example, { method: "GET", url: "/blocks/headers/last" });
  return (JSON.parse(last.body) as { readonly signature: string }).signature;
}

/** Fills the chain before the requests: at least one thing of every kind. */
export async function makeHistory(example: ExampleNode): Promise<Readonly<Record<string, RouteExample>>> {
  const ids = new Map<string, string>();
  const submit = async (type: string, members: object): Promise<void> => {
    const body = JSON.stringify({ fee: FEE, sender: ROOT, ...members });
    const answer = await ask(example, { method: "POST", url: `/transactions/submit/${type}`, body });
    if (answer.status !== 200) throw new Error(`${type}: ${answer.body}`);
    ids.set(type, (JSON.parse(answer.body) as { id: string }).id);
  };
  const waitForBlock = () => example.clock.advance(SIX_SECONDS);

  waitForBlock();
  const reverted = await lastId(example);
  const rollback = JSON.stringify({ rollbackTo: 1, returnTransactionsToUtx: false });
  await ask(example, { method: "POST", url: "/debug/rollback", body: rollback });
  waitForBlock();
  await ask(example, { method: "POST", url: "/wallet/addresses" });
  await submit("transfer", { recipient: SECOND, amount: 100 * FEE });
  await submit("data", { data: [{ key: "colour", type: "string", value: "green" }] });
  await submit("lease", { recipient: SECOND, amount: 10 * FEE });
  await submit("issue-association", { recipient: SECOND, associationType: 1 });
  await submit("statement", { statementType: 16, subject: BASE58_ID });
  await submit("anchor", { anchors: ["4deqMFcPkNR3Bv9gR5KL2WvDA5DYYjFHcRdgCyMFKWGk"] });
  waitForBlock();
  waitForBlock();
  // The account deactivates its own DID: 0x120.
  await submit("statement", { sender: SECOND, statementType: 288 });
  await submit("sponsorship", { sender: SECOND, recipient: ROOT, fee: 5 * FEE });
  waitForBlock();
  await submit("transfer", { recipient: SECOND, amount: FEE });
  const signature = await lastId(example);
  const lease = ids.get("lease");
  const waiting = ids.get("transfer");
  return {
    "POST /leasing/cancel": { body: { sender: ROOT, fee: FEE, leaseId: lease } },
    "GET /blocks/reverted/:signature": { params: { signature: reverted } },
    "GET /blocks/delay/:signature/:blockNum": { params: { signature } },
    "GET /transactions/unconfirmed/info/:id": { params: { id: String(waiting) } },
  };
}
