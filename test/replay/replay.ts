/**
 * Replays recorded exchanges against a node and reports the differences. The recordings of the public node (`rest/`),
 * of the index (`index/`) and the answers of whole chains (`chains/<name>/routes.jsonl.gz`) share a format.
 */
import { JsonNumber, type JsonValue } from "../../src/bytes/json.ts";
import { SchemaMismatchError } from "../../src/client/testing/check-answer.ts";
import { isLeftOut, translate } from "./differences.ts";
import { type ExactAnswer, type ExactRequest, exchange } from "./http-exchange.ts";
import { valuesAt } from "./json-compare.ts";
import { compare, jsonOf, numberOf, objectOf, type RecordedAnswer, type Step } from "./recording.ts";

/** The node under test. */
export interface ReplayTarget {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string;
  /** Lets the node's time pass: moves a virtual clock, or waits for a real one. */
  pass(ms: number): Promise<void>;
}

/** How long and how often a step may be repeated, in the node's time. */
const RETRY_MS = 90_000;
const RETRY_STEP_MS = 250;

/** Values that change in each run: the recorded one and the current one. */
class Captured {
  readonly #texts = new Map<string, string>();
  readonly #numbers = new Map<string, string>();

  note(recorded: JsonValue, seen: JsonValue): void {
    if (typeof recorded === "string" && typeof seen === "string" && recorded.length > 0) {
      this.#texts.set(recorded, seen);
    } else if (recorded instanceof JsonNumber && seen instanceof JsonNumber) {
      this.#numbers.set(recorded.text, seen.text);
    }
  }

  inText(text: string): string {
    let out = text;
    for (const [recorded, seen] of this.#texts) out = out.replaceAll(recorded, seen);
    for (const [recorded, seen] of this.#numbers) {
      out = out.replace(new RegExp(`(?<![0-9])${recorded}(?![0-9])`, "g"), seen);
    }
    return out;
  }

  inJson(value: JsonValue): JsonValue {
    if (typeof value === "string") return this.inText(value);
    if (value instanceof JsonNumber) return new JsonNumber(this.#numbers.get(value.text) ?? value.text);
    if (Array.isArray(value)) return value.map((one) => this.inJson(one));
    if (!(value instanceof Map)) return value;
    return new Map([...value].map(([name, one]) => [this.inText(name), this.inJson(one)]));
  }

  inRequest(request: ExactRequest): ExactRequest {
    if (this.#texts.size === 0 && this.#numbers.size === 0) return request;
    const { body } = request;
    const text = body === undefined ? undefined : Buffer.from(body).toString("utf8");
    // Bodies that are not UTF-8 contain no captured values.
    const exact = text !== undefined && Buffer.from(text).equals(Buffer.from(body ?? []));
    return {
      ...request,
      path: this.inText(request.path),
      body: exact ? Buffer.from(this.inText(text)) : body,
    };
  }
}

/** Replays steps in order and collects the differences. */
export class Replay {
  readonly #target: ReplayTarget;
  readonly #captured = new Captured();
  readonly #compare: (request: ExactRequest) => Promise<string[]>;

  /** @param compare sends each request again, after its step, and returns further differences */
  constructor(target: ReplayTarget, compare: (request: ExactRequest) => Promise<string[]> = async () => []) {
    this.#target = target;
    this.#compare = compare;
  }

  /** Returns the differences at a step, each preceded by the step's name; an empty list if there are none. */
  async run(step: Step): Promise<string[]> {
    if (step.waitBlocks > 0) {
      await this.#waitBlocks(step.waitBlocks);
      return [];
    }
    if (step.request === undefined || step.response === undefined)
      throw new Error(`${step.name}: no request`);
    if (isLeftOut(step)) return [];
    const request = this.#captured.inRequest(step.request);
    for (let waited = 0; ; waited += RETRY_STEP_MS) {
      const found = await this.#attempt(step, request, step.response);
      if (found.length === 0 || !step.retry || waited >= RETRY_MS) {
        return [...found, ...(await this.#compare(request))].map((text) => `${step.name}: ${text}`);
      }
      await this.#target.pass(RETRY_STEP_MS);
    }
  }

  async #attempt(step: Step, request: ExactRequest, recorded: RecordedAnswer): Promise<string[]> {
    let actual: ExactAnswer;
    try {
      actual = await exchange(this.#target.url, request);
    } catch (error) {
      if (error instanceof SchemaMismatchError) return [error.message];
      return step.connectionMayBreak ? [] : [`the connection broke: ${error}`];
    }
    const { body } = recorded;
    const expected = {
      ...recorded,
      body: body === undefined || body === null ? body : this.#captured.inJson(body),
    };
    const translated = await translate({ step, request, expected, actual, url: this.#target.url });
    if (translated === undefined) return [];
    const seen = translated.actual;
    const found = compare(translated.expected, seen, step);
    if (found.length === 0) this.#note(step, recorded, seen);
    return found;
  }

  #note(step: Step, recorded: RecordedAnswer, actual: ExactAnswer): void {
    const json = jsonOf(actual);
    for (const path of step.capture) {
      const before = recorded.body === undefined ? [] : valuesAt(recorded.body, path);
      const now = json === undefined ? [] : valuesAt(json, path);
      before.forEach((value, i) => {
        if (i < now.length) this.#captured.note(value, now[i]);
      });
    }
  }

  async #waitBlocks(count: number): Promise<void> {
    const height = async (): Promise<number> => {
      const answer = await exchange(this.#target.url, { method: "GET", path: "/blocks/height", headers: {} });
      return numberOf(objectOf(jsonOf(answer)).get("height"));
    };
    const goal = (await height()) + count;
    for (let waited = 0; (await height()) < goal; waited += RETRY_STEP_MS) {
      if (waited > count * RETRY_MS) throw new Error(`the height stays below ${goal}`);
      await this.#target.pass(RETRY_STEP_MS);
    }
  }
}
