/** Values of HOCON, the format of the reference's settings file (page 06 §8.1). */

/** Lines are counted from 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
}

export function placeText({ file, line }: Place): string {
  return `${file}:${line}`;
}

/** Invalid HOCON. The message begins with the place and never repeats a value. */
export class HoconError extends Error {
  override readonly name = "HoconError";
  constructor(place: Place, reason: string) {
    super(`${placeText(place)}: ${reason}`);
  }
}

export interface HoconScalar {
  readonly kind: "scalar";
  readonly text: string;
  readonly quoted: boolean;
  readonly place: Place;
}

export interface HoconList {
  readonly kind: "list";
  readonly items: readonly HoconValue[];
  readonly place: Place;
}

export interface HoconObject {
  readonly kind: "object";
  readonly members: ReadonlyMap<string, HoconValue>;
  readonly place: Place;
}

export type HoconValue = HoconScalar | HoconList | HoconObject;

export function isNull(value: HoconValue): boolean {
  return value.kind === "scalar" && !value.quoted && value.text === "null";
}

/** The values of a key, oldest first. An object extends an earlier object; any other value replaces earlier ones. */
export interface Field {
  readonly layers: Expression[];
}

export interface ObjectExpression {
  readonly kind: "fields";
  readonly fields: Map<string, Field>;
  readonly place: Place;
}

export interface Reference {
  readonly kind: "reference";
  readonly path: readonly string[];
  /** Path of the object that includes the file. */
  readonly prefix: readonly string[];
  readonly optional: boolean;
  readonly place: Place;
}

/** Blanks between two values that are concatenated. */
export interface Blank {
  readonly kind: "blank";
  readonly text: string;
}

export type Expression =
  | HoconScalar
  | ObjectExpression
  | Reference
  | { readonly kind: "items"; readonly items: readonly Expression[]; readonly place: Place }
  | { readonly kind: "parts"; readonly parts: readonly (Expression | Blank)[]; readonly place: Place };

/** Adds a value. Merges successive objects. */
export function addLayer(field: Field, layer: Expression): void {
  const last = field.layers.at(-1);
  if (last?.kind !== "fields" || layer.kind !== "fields") {
    field.layers.push(layer);
    return;
  }
  for (const [name, added] of layer.fields)
    for (const addedLayer of added.layers) addLayer(getOrCreateField(last, name), addedLayer);
}

export function getOrCreateField({ fields }: ObjectExpression, name: string): Field {
  const found = fields.get(name);
  if (found !== undefined) return found;
  const created: Field = { layers: [] };
  fields.set(name, created);
  return created;
}
