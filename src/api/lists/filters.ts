/** Query parameters that only Holdfast has. */
import Type from "typebox";
import { parseUtc } from "../../bytes/dates.ts";
import { DAY } from "../../bytes/durations.ts";
import { INT64_MAX } from "../../bytes/int64.ts";
import { tryParseAddress } from "../../crypto/addresses.ts";
import type { ChainSnapshot, HeightRange } from "../../interfaces.ts";
import { definitionByName } from "../../transactions/index.ts";
import type { ReadCall } from "../route.ts";
import { AddressText, int64, TypeName } from "../schemas/common.ts";
import { invalidParameter } from "./pages.ts";

/** Longer numbers are times in ms. */
const MAX_HEIGHT_DIGITS = 9;
const DAY_TEXT = /^\d{4}-\d\d-\d\d$/;

type Bound = { readonly height: number } | { readonly time: number };

/** @throws ApiError 400 */
function parseBound(call: ReadCall, name: keyof HeightRange): Bound | undefined {
  const text = call.query(name);
  if (text === undefined) return undefined;
  if (/^\d{1,16}$/.test(text))
    return text.length <= MAX_HEIGHT_DIGITS ? { height: Number(text) } : { time: Number(text) };
  const time = /^\d+$/.test(text) ? Number.NaN : parseUtc(text);
  if (Number.isNaN(time)) throw invalidParameter(name);
  // `to` includes its whole day.
  return { time: name === "to" && DAY_TEXT.test(text) ? time + DAY - 1 : time };
}

/** @throws ApiError 400 */
export function parseRange(call: ReadCall): (chain: ChainSnapshot) => HeightRange {
  const from = parseBound(call, "from");
  const to = parseBound(call, "to");
  return (chain) => {
    const height = chain.height();
    return {
      from: Math.max(1, from === undefined ? 1 : firstHeight(chain, from)),
      to: Math.min(height, to === undefined ? height : lastHeight(chain, to)),
    };
  };
}

function firstHeight(chain: ChainSnapshot, bound: Bound): number {
  return "height" in bound ? bound.height : chain.blocks.heightAt(bound.time - 1) + 1;
}

function lastHeight(chain: ChainSnapshot, bound: Bound): number {
  return "height" in bound ? bound.height : chain.blocks.heightAt(bound.time);
}

/** @throws the result of `refuse` for an unknown name */
export function parseTypes(call: ReadCall, refuse: (name: string) => Error = invalidParameter): number[] {
  return call.queryAll("type").map((name) => {
    const definition = definitionByName(name, call.info.network);
    if (definition === undefined) throw refuse("type");
    return definition.type;
  });
}

function parseAmount(call: ReadCall, name: string): bigint | undefined {
  const text = call.query(name);
  if (text === undefined) return undefined;
  const amount = /^\d{1,19}$/.test(text) ? BigInt(text) : INT64_MAX + 1n;
  if (amount > INT64_MAX) throw invalidParameter(name);
  return amount;
}

/** @throws ApiError 400 */
export function parseAmounts(call: ReadCall): ((amount: bigint) => boolean) | undefined {
  const min = parseAmount(call, "minAmount");
  const max = parseAmount(call, "maxAmount");
  if (min === undefined && max === undefined) return undefined;
  return (amount) => (min === undefined || amount >= min) && (max === undefined || amount <= max);
}

/** @throws ApiError 400 */
export function parseAddressFilter(call: ReadCall, name: string): Uint8Array | undefined {
  const text = call.query(name);
  if (text === undefined) return undefined;
  const address = tryParseAddress(text, call.info.network.chainId);
  if (address === undefined) throw invalidParameter(name);
  return address;
}

/** @throws the result of `refuse` for another word */
export function parseWord<const Words extends readonly string[]>(
  call: ReadCall,
  name: string,
  words: Words,
  refuse: (name: string) => Error = invalidParameter,
): Words[number] | undefined {
  const text = call.query(name);
  if (text === undefined || words.includes(text)) return text;
  throw refuse(name);
}

const BOUND_TEXT =
  "a height (up to 9 digits), a time in ms since 1970, or a date in UTC, such as `2026-11-28` or `2026-11-28T12:00Z`";

export const rangeParameters = {
  from: Type.String({ description: `First block: ${BOUND_TEXT}.`, examples: ["1"] }),
  to: Type.String({
    description: `Last block: ${BOUND_TEXT}. A day is included as a whole.`,
    examples: ["999999999"],
  }),
};

export const typeParameter = { type: Type.Array(TypeName) };

export const amountParameters = {
  minAmount: Type.Unsafe<bigint>({
    ...int64("Smallest amount, units. Received and sent amounts count as positive."),
    examples: [0],
  }),
  maxAmount: Type.Unsafe<bigint>({ ...int64("Largest amount, units."), examples: [100_000_000_000_000] }),
};

export const addressFilter = (description: string) => Type.String({ ...AddressText, description });
