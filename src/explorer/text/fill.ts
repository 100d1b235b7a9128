import type { ComponentChildren } from "preact";

/** Replaces each `{name}` in a text by its value. */
export function fill(
  text: string,
  values: Readonly<Record<string, ComponentChildren>>,
): readonly ComponentChildren[] {
  return text.split(/\{(\w+)\}/).map((piece, i) => (i % 2 === 0 ? piece : values[piece]));
}
