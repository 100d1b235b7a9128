import type { JSX } from "preact";
import type { Attempt } from "../data/attempt.ts";
import { commonTexts } from "../text/common-texts.ts";
import { Notice } from "./notice.tsx";

/** A part of a page that shows its problem if its request failed. */
export function Attempted<T>(props: { readonly of: Attempt<T>; draw(value: T): JSX.Element }): JSX.Element {
  const { of, draw } = props;
  if (of.ok) return draw(of.value);
  const { kind, message, advice } = of.problem;
  // A missing answer is normal: older nodes lack the route, or the operator disabled it.
  if (kind === "unknown") return <p class="quiet">{commonTexts.notAvailable}</p>;
  return (
    <Notice kind={kind === "building" || kind === "busy" ? "unsettled" : "wrong"}>
      <p>{message}</p>
      <p class="quiet">{advice}</p>
    </Notice>
  );
}
