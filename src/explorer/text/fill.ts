import type { ComponentChildren } from "preact";

/** Replaces each `{slot}` of a text by the value of that name. A slot without a value stays empty. */
export function fill(
  text: string,
  values: Readonly<Record<string, ComponentChildren>>,
): readonly ComponentChildren[] {
  return text.split(/\{(\w+)\}/).map((piece, i) => (i % 2 === 0 ? piece : values[piece]));
}
