/**
 * Lists the intended differences between this node and the recordings, with the expected answers. Each rule cites the
 * page that decides it.
 */
import { type JsonValue, parseJson, printJson } from "../../src/bytes/json.ts";
import { type ExactAnswer, type ExactRequest, exchange } from "./http-exchange.ts";
import { compare, jsonOf, type RecordedAnswer, type Step } from "./recording.ts";

/** A recorded exchange with the actual answer. */
export interface Exchange {
  readonly step: Step;
  readonly request: ExactRequest;
  readonly expected: RecordedAnswer;
  readonly actual: ExactAnswer;
  readonly url: string;
}

/** The value to compare with; undefined to compare nothing. */
type Translated = Pick<Exchange, "expected" | "actual"> | undefined;

interface Difference {
  readonly why: string;
  applies(one: Exchange): boolean;
  translate(one: Exchange): Promise<Translated> | Translated;
}

const UNKNOWN = "The requested resource could not be found but may be available again in the future.";
const BAD_SYNTAX = "The request contains bad syntax or cannot be fulfilled.";

function answer(status: number, body: JsonValue | undefined): RecordedAnswer {
  return { status, headers: new Map([["content-type", "application/json"]]), body, bodyHex: undefined };
}

function layer(status: number, message: string): RecordedAnswer {
  return answer(status, parseJson(`{"error":${status},"message":"${message}"}`));
}

function header(request: ExactRequest, name: string): string | undefined {
  return Object.entries(request.headers).find(([one]) => one.toLowerCase() === name)?.[1];
}

function isTextNotFound({ expected, request }: Exchange): boolean {
  return expected.status === 404 && (expected.body === UNKNOWN || request.method === "HEAD");
}

function isJsonType(request: ExactRequest): boolean {
  return /^\s*application\/json\s*(?:;|$)/i.test(header(request, "content-type") ?? "");
}

/** Adds the consensus data of every block and header under their second names. */
function withoutAlias(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutAlias);
  if (!(value instanceof Map)) return value;
  const consensus = value.get("nxt-consensus");
  const out = new Map([...value].map(([name, one]) => [name, withoutAlias(one)]));
  if (!(consensus instanceof Map)) return out;
  const alias = new Map<string, JsonValue | undefined>([
    ["basetarget", consensus.get("base-target")],
    ["generationsignature", consensus.get("generation-signature")],
  ]);
  const last = [...value.entries()].at(-1);
  // Keep a block whose alias is missing, misplaced or wrong, so that it differs.
  if (last?.[0] === "nxtconsensus" && printJson(last[1]) === printJson(alias)) out.delete("nxtconsensus");
  else out.set("alias is not last", null);
  return out;
}

function withBody(actual: ExactAnswer, json: JsonValue): ExactAnswer {
  return { ...actual, body: Buffer.from(printJson(json)) };
}

/** The answer to the same request with the media type of JSON. */
function asJson({ url, request }: Exchange): Promise<ExactAnswer> {
  const headers = Object.entries(request.headers).filter(([name]) => name.toLowerCase() !== "content-type");
  return exchange(url, {
    ...request,
    headers: { ...Object.fromEntries(headers), "Content-Type": "application/json" },
  });
}

function hasEmptyKey({ step }: Exchange): boolean {
  return step.name === "empty key: empty X-API-Key" || step.name === "empty key: spaces";
}

const differences: readonly Difference[] = [
  {
    why: "the version is this software's (00, part B, 9)",
    applies: ({ request }) => request.path.endsWith("/node/version") && request.method === "GET",
    translate: ({ expected, actual }) => {
      const json = jsonOf(actual);
      const version = json instanceof Map ? String(json.get("version")) : "";
      const body: JsonValue = new Map([["version", "Holdfast v1.2.3"]]);
      const own = /^Holdfast v\d+\.\d+\.\d+$/.test(version) ? withBody(actual, body) : actual;
      return { expected: { ...expected, body }, actual: own };
    },
  },
  {
    why: "JSON bodies are read whatever their type says (00, part B, 7)",
    applies: (one) =>
      (isTextNotFound(one) || one.expected.body === BAD_SYNTAX) &&
      one.request.method === "POST" &&
      (one.request.body?.length ?? 0) > 0 &&
      (one.request.body?.length ?? 0) <= 1_048_576 &&
      !isJsonType(one.request) &&
      one.actual.status !== 404 &&
      one.actual.status !== 405,
    translate: async (one) => {
      const labelled = await asJson(one);
      const expected = {
        status: labelled.status,
        headers: new Map([["content-type", String(labelled.headers["content-type"])]]),
        body: jsonOf(labelled) ?? Buffer.from(labelled.body).toString("utf8"),
        bodyHex: undefined,
      };
      return { expected, actual: one.actual };
    },
  },
  {
    why: "a body that is too large is 413 (00, part B, 7)",
    applies: ({ expected, request }) =>
      (request.body?.length ?? 0) > 1_048_576 && (expected.status === 404 || expected.body === BAD_SYNTAX),
    translate: ({ actual }) => ({ expected: layer(413, "body too large"), actual }),
  },
  {
    why: "leases can be made again (00, part B, 4.6)",
    applies: ({ request }) => /^\/leasing\/(?:lease|cancel)$/.test(request.path) && request.method === "POST",
    translate: () => undefined,
  },
  {
    why: "a vote that is missing is named (docs/differences.md, errors)",
    applies: ({ request, expected }) =>
      request.path === "/fees/vote" && printJson(expected.body ?? null).includes("NoSuchElementException"),
    translate: ({ expected, actual }) => {
      const missing = '{"obj.status":[{"msg":["error.path.missing"],"args":[]}]}';
      const text = `{"error":1,"message":"failed to parse json message","cause":null,"validationErrors":${missing}}`;
      return { expected: { ...expected, body: parseJson(text) }, actual };
    },
  },
  {
    why: "the index has this path: the text `status` as an address (07 §18.1)",
    applies: ({ request }) => request.path === "/associations/status",
    translate: ({ actual }) => ({
      expected: answer(200, parseJson('{"children":[],"parents":[]}')),
      actual: { ...actual, headers: { ...actual.headers, "content-type": "application/json" } },
    }),
  },
  {
    why: "the index has this path: what it says of the node stands there (07 §14.3, §18.3)",
    applies: ({ request, expected }) => request.path === "/node" && expected.status === 404,
    translate: ({ actual }) => ({
      expected: answer(200, undefined),
      // It contains the chain's height and the time.
      actual: { ...actual, body: new Uint8Array(0), headers: { "content-type": "application/json" } },
    }),
  },
  {
    why: "unknown paths and wrong methods are JSON (00, part B, 7)",
    applies: isTextNotFound,
    translate: ({ actual, request }) => {
      const allowed = String(actual.headers.allow ?? "").split(", ");
      const wrongMethod = actual.status === 405 && !allowed.includes(request.method);
      const expected = wrongMethod ? layer(405, "method not allowed") : layer(404, "not found");
      return { expected: request.method === "HEAD" ? { ...expected, body: undefined } : expected, actual };
    },
  },
  {
    why: "what is no request is JSON too (00, part B, 7)",
    applies: ({ expected }) =>
      [400, 414, 431, 501].includes(expected.status) &&
      typeof expected.body === "string" &&
      /Illegal request-target|exceeds the configured limit|Unsupported HTTP method|more than the configured limit/.test(
        expected.body,
      ),
    translate: ({ actual, expected }) => {
      const limit = /header|headers$/i.test(String(expected.body));
      // Node.js limits the total size of all headers, and has other limits.
      if (limit) return undefined;
      const status = expected.status === 400 && /method/.test(String(expected.body)) ? 501 : expected.status;
      return { expected: answer(status, undefined), actual };
    },
  },
  {
    why: "an API key of no characters counts as none (06 §8.3)",
    applies: hasEmptyKey,
    translate: ({ actual }) => ({
      expected: answer(403, parseJson('{"error":2,"message":"Provided API key is not correct"}')),
      actual,
    }),
  },
  {
    why: "the reference fails; the recommended answer (06 §4.6, §7.13)",
    applies: ({ step, expected }) => step.bug && expected.status === 500,
    translate: ({ actual, request, step }) => {
      const path = request.path.split("?")[0];
      if (path.startsWith("/addresses/validate/")) {
        const address = decodeURIComponent(path.slice("/addresses/validate/".length));
        return {
          expected: answer(
            200,
            new Map<string, JsonValue>([
              ["address", address],
              ["valid", false],
            ]),
          ),
          actual,
        };
      }
      if (path.includes("/limit/a%20b"))
        return { expected: { ...answer(308, undefined), headers: new Map() }, actual };
      if (path.startsWith("/utils/script/estimate")) return { expected: answer(400, undefined), actual };
      if (path === "/peers/connect") return { expected: answer(400, undefined), actual };
      if (/^\/associations\/status\/.{5}/.test(path)) return { expected: answer(200, undefined), actual };
      if (step.name.startsWith("broadcast: ")) return { expected: answer(400, undefined), actual };
      if (/key of odd length/.test(step.name))
        return { expected: answer(200, parseJson('{"valid":false}')), actual };
      return { expected: answer(400, parseJson('{"error":102,"message":"invalid address"}')), actual };
    },
  },
  {
    why: "the reference ran on Java 17, the protocol's texts are those of Java 11 (02 §12)",
    applies: ({ expected }) => printJson(expected.body ?? null).includes("Unsupported key algorithm: EDDSA"),
    translate: ({ expected, actual }) => {
      const text = printJson(expected.body ?? null).replace("algorithm: EDDSA", "algorithm: 1.3.101.112");
      return { expected: { ...expected, body: parseJson(text) }, actual };
    },
  },
  {
    why: "the configuration is this node's own",
    applies: ({ request, actual }) => request.path.startsWith("/debug/configInfo") && actual.status === 200,
    translate: ({ actual }) => ({ expected: answer(200, undefined), actual }),
  },
  {
    why: "blocks and headers have an alias (00, part B, 2.1)",
    applies: ({ actual }) => Buffer.from(actual.body).includes("nxt-consensus"),
    translate: ({ expected, actual }) => {
      const json = jsonOf(actual);
      return { expected, actual: json === undefined ? actual : withBody(actual, withoutAlias(json)) };
    },
  },
];

/**
 * Returns true if a recorded request must not be sent: the reference ignores it because of its type, while this node
 * would accept it and change the state for the following steps.
 */
export function isLeftOut({ request, response }: Step): boolean {
  return (
    request !== undefined &&
    response?.body === UNKNOWN &&
    /^\/transactions\/(?:broadcast|submit)/.test(request.path) &&
    request.method === "POST" &&
    (request.body?.length ?? 0) > 0 &&
    !isJsonType(request)
  );
}

/** Returns the exchange to compare, after the first rule that applies. */
export async function translate(one: Exchange): Promise<Translated> {
  // A matching answer needs no rule.
  if (compare(one.expected, one.actual, one.step).length === 0) return one;
  const rule = differences.find((difference) => difference.applies(one));
  return rule === undefined ? one : await rule.translate(one);
}
