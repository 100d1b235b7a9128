/** Whether a client takes an answer of some media type. Page 06 §2.3. */

interface MediaRange {
  readonly type: string;
  readonly subtype: string;
  /** Parameters other than `q`. */
  readonly parameters: number;
  readonly quality: number;
}

const RANGE = /^\s*([\w!#$&^.+*-]+)\/([\w!#$&^.+*-]+)\s*((?:;[^,]*)?)$/;
const QUALITY = /^\s*q\s*=\s*([\d.]+)\s*$/i;

/** The media ranges of an `Accept` header; undefined when it cannot be parsed. */
function parseAccept(header: string): MediaRange[] | undefined {
  const ranges: MediaRange[] = [];
  for (const part of header.split(",")) {
    const match = RANGE.exec(part);
    if (match === null) return undefined;
    const given = match[3].split(";").slice(1);
    const quality = given.map((text) => QUALITY.exec(text)?.[1]).find((text) => text !== undefined);
    ranges.push({
      type: match[1].toLowerCase(),
      subtype: match[2].toLowerCase(),
      parameters: given.filter((text) => !QUALITY.test(text)).length,
      quality: quality === undefined ? 1 : Number(quality),
    });
  }
  return ranges;
}

/**
 * Whether the `Accept` header lets the media type through. A range with a parameter other than `q` never
 * matches; a header that cannot be parsed is ignored.
 * @param mediaType without parameters, e.g. `application/json`
 */
export function accepts(header: string | undefined, mediaType: string): boolean {
  if (header === undefined || header === "*/*" || header === mediaType || header.trim() === "") return true;
  const ranges = parseAccept(header);
  if (ranges === undefined) return true;
  const [type, subtype] = mediaType.split("/");
  // The most specific range that matches decides.
  let quality = 0;
  let precision = 0;
  for (const range of ranges) {
    if (range.parameters > 0) continue;
    const exact = range.type === type && range.subtype === subtype ? 3 : 0;
    const family = range.type === type && range.subtype === "*" ? 2 : 0;
    const all = range.type === "*" && range.subtype === "*" ? 1 : 0;
    const found = exact || family || all;
    if (found > precision) {
      precision = found;
      quality = range.quality;
    }
  }
  return precision > 0 && quality > 0;
}

/** Whether the `Accept-Charset` header lets UTF-8 through. */
export function acceptsUtf8(header: string | undefined): boolean {
  if (header === undefined || header.trim() === "") return true;
  let all: number | undefined;
  for (const part of header.toLowerCase().split(",")) {
    const [name, ...parameters] = part.split(";").map((text) => text.trim());
    const quality = Number(parameters.map((text) => QUALITY.exec(text)?.[1]).find(Boolean) ?? 1);
    if (name === "utf-8" || name === "utf8") return quality > 0;
    if (name === "*") all = quality;
  }
  return (all ?? 0) > 0;
}
