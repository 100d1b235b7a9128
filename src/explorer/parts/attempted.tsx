import type { JSX } from "preact";
import type { Attempt } from "../data/attempt.ts";
import { Notice } from "./notice.tsx";

/** A part of a page that may have failed: what was asked for, or in words why it is not there. */
export function Attempted<T>(props: { readonly of: Attempt<T>; draw(value: T): JSX.Element }): JSX.Element {
  const { of, draw } = props;
  if (of.ok) return draw(of.value);
  const { kind, message, advice } = of.problem;
  // What a node does not have is no fault of it: another one has no such route, or its operator switched it off.
  if (kind === "unknown") return <p class="quiet">This node does not tell.</p>;
  return (
    <Notice kind={kind === "building" || kind === "busy" ? "unsettled" : "wrong"}>
      <p>{message}</p>
      <p class="quiet">{advice}</p>
    </Notice>
  );
}
