/** Monthly supply that does not circulate. Page 07 §13.5, §18.6. */
import { JsonNumber, type JsonValue, parseJson } from "../bytes/json.ts";

/** By year: whole tokens of each month, from January; undefined for an unknown month. */
export type LockedSupply = ReadonlyMap<number, readonly (number | undefined)[]>;

export class LockedSupplyError extends Error {
  override readonly name = "LockedSupplyError";
}

export const noLockedSupply: LockedSupply = new Map();

// biome-ignore format: one year per line
export const mainnetLockedSupply: LockedSupply = new Map([
  [2019, [215_500_000, 170_098_109, 171_243_109, 172_385_609, 173_525_609, 174_663_109, 175_798_109, 176_930_609, 178_060_609, 186_063_109, 194_063_109, 213_175_325]],
  [2020, [221_055_609, 229_048_109, 237_038_109, 242_192_276, 247_343_942, 252_493_109, 257_639_776, 262_783_942, 267_925_609, 273_064_776, 277_701_442, 281_893_109]],
  [2021, [294_114_776, 294_156_442, 298_198_109, 306_289_776, 310_331_442, 314_373_109, 322_464_776, 326_506_442, 330_548_109, 335_098_109, 335_598_109, 336_098_109]],
  [2022, [340_648_109, 341_148_109, 341_648_109, 345_698_109, 345_698_109, 345_698_109, 349_748_109, 349_748_109, 349_748_109, 353_798_109, 353_798_109, 353_798_109]],
  [2023, [357_848_109, 357_848_109, 357_848_109, 361_898_109, 361_898_109, 361_898_109, 365_948_109, 365_948_109, 365_948_109, 369_998_109, 369_998_109, 369_998_109]],
  [2024, [375_048_109, 375_048_109, 375_048_109, 379_098_109, 379_098_109, 379_098_109, 383_148_109, 383_148_109, 383_148_109, 387_198_109, 387_198_109, 387_198_109]],
  [2025, [391_248_109, 391_248_109, 391_248_109, 395_298_109, 395_298_109, 395_298_109, 399_348_109, 399_348_109, 399_348_109, 403_398_109, 403_398_109, 403_398_109]],
]);

export const monthNames: readonly string[] = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");

/** Returns whole tokens: the newest known amount up to the UTC month of `time` (ms since 1970), or 0. */
export function lockedSupplyAt(table: LockedSupply, time: number): number {
  const now = new Date(time);
  const years = [...table.keys()].filter((year) => year <= now.getUTCFullYear()).sort((a, b) => b - a);
  for (const year of years) {
    const lastMonth = year === now.getUTCFullYear() ? now.getUTCMonth() : 11;
    const lastAmount = table
      .get(year)
      ?.slice(0, lastMonth + 1)
      .findLast((tokens) => tokens !== undefined);
    if (lastAmount !== undefined) return lastAmount;
  }
  return 0;
}

const YEAR_PATTERN = /^[12]\d{3}$/;

/**
 * Parses whole tokens by year and month: `{ "2019": { "jan": 215500000 } }`.
 * @throws LockedSupplyError
 */
export function parseLockedSupply(text: string): LockedSupply {
  let value: JsonValue;
  try {
    value = parseJson(text);
  } catch (error) {
    throw new LockedSupplyError(`Locked supply is not valid JSON: ${(error as Error).message}`);
  }
  if (!(value instanceof Map)) throw new LockedSupplyError("Locked supply must be a JSON object of years");
  return new Map([...value].map(([year, months]) => [yearOf(year), tokensOf(year, months)]));
}

function yearOf(text: string): number {
  if (!YEAR_PATTERN.test(text)) throw new LockedSupplyError(`Invalid year '${text}': use 1000 to 2999`);
  return Number(text);
}

function tokensOf(year: string, months: JsonValue): (number | undefined)[] {
  if (!(months instanceof Map)) throw new LockedSupplyError(`Year ${year} must be an object of months`);
  for (const [name, tokens] of months) {
    if (!monthNames.includes(name))
      throw new LockedSupplyError(`Invalid month '${name}' in ${year}: use ${monthNames.join(", ")}`);
    if (!(tokens instanceof JsonNumber) || !/^\d{1,15}$/.test(tokens.text))
      throw new LockedSupplyError(`Tokens of ${name} ${year} must be a whole number`);
  }
  return monthNames.map((name) => {
    const tokens = months.get(name);
    return tokens instanceof JsonNumber ? tokens.toNumber() : undefined;
  });
}
