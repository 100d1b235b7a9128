/** Page 06 §2.3. */

export interface MediaRange {
  readonly type: string;
  readonly subtype: string;
  /** Unparsed parameters other than `q`, by lower-case name. */
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

const RANGE = /[ \t]*([\w!#$&^.+*-]+)\/([\w!#$&^.+*-]+)[ \t]*/y;
const PARAMETER = /;[ \t]*([\w!#$&^.+*'`|~%-]+)[ \t]*=[ \t]*("(?:[^"\\]|\\.)*"|[\w!#$&^.+*'`|~%-]+)[ \t]*/y;
const NUMBER = /^(?:\d+(?:\.\d*)?|\.\d+)$/;
const QUALITY = /^\s*q\s*=\s*([\d.]+)\s*$/i;

/** Returns undefined if the header is malformed. */
export function parseAccept(header: string): MediaRange[] | undefined {
  const ranges: MediaRange[] = [];
  for (let at = 0; ; at++) {
    RANGE.lastIndex = at;
    const range = RANGE.exec(header);
    if (range === null || (range[1] === "*" && range[2] !== "*")) return undefined;
    at = RANGE.lastIndex;
    const parameters = new Map<string, string>();
    let quality = 1;
    while (header[at] === ";") {
      PARAMETER.lastIndex = at;
      const parameter = PARAMETER.exec(header);
      if (parameter === null) return undefined;
      at = PARAMETER.lastIndex;
      const name = parameter[1].toLowerCase();
      if (name !== "q") parameters.set(name, parameter[2]);
      else if (NUMBER.test(parameter[2])) quality = Number(parameter[2]);
      else return undefined;
    }
    ranges.push({ type: range[1].toLowerCase(), subtype: range[2].toLowerCase(), parameters, quality });
    if (at === header.length) return ranges;
    if (header[at] !== ",") return undefined;
  }
}

function hasUnsupportedParameter({ type, subtype, parameters }: MediaRange): boolean {
  const isJson = type === "application" && subtype === "json";
  return [...parameters.keys()].some((name) => !(isJson && name === "charset"));
}

/**
 * Returns true if the client accepts the media type, or the header is missing or malformed. Ignores ranges with
 * parameters other than `q`, and for JSON `charset`.
 * @param mediaType without parameters, e.g. `application/json`
 */
export function accepts(header: string | undefined, mediaType: string): boolean {
  if (header === undefined || header === "*/*" || header === mediaType || header.trim() === "") return true;
  const ranges = parseAccept(header);
  if (ranges === undefined) return true;
  const [type, subtype] = mediaType.split("/");
  // The most specific matching range decides.
  let quality = 0;
  let bestRank = 0;
  for (const range of ranges) {
    if (hasUnsupportedParameter(range)) continue;
    const exact = range.type === type && range.subtype === subtype ? 3 : 0;
    const family = range.type === type && range.subtype === "*" ? 2 : 0;
    const all = range.type === "*" && range.subtype === "*" ? 1 : 0;
    const rank = exact || family || all;
    if (rank > bestRank) {
      bestRank = rank;
      quality = range.quality;
    }
  }
  return bestRank > 0 && quality > 0;
}

export function acceptsUtf8(header: string | undefined): boolean {
  if (header === undefined || header.trim() === "") return true;
  let wildcardQuality: number | undefined;
  for (const part of header.toLowerCase().split(",")) {
    const [name, ...parameters] = part.split(";").map((text) => text.trim());
    const quality = Number(parameters.map((text) => QUALITY.exec(text)?.[1]).find(Boolean) ?? 1);
    if (name === "utf-8" || name === "utf8") return quality > 0;
    if (name === "*") wildcardQuality = quality;
  }
  return (wildcardQuality ?? 0) > 0;
}
