/** The parts of a page, each in a box under its heading. */
import type { ComponentChildren, JSX } from "preact";
import type { Attempt } from "../data/attempt.ts";
import { Attempted } from "./attempted.tsx";

/** A part of a page. @param props.stacked whether what is in it keeps its distance */
export function Panel(props: {
  readonly title: ComponentChildren;
  readonly stacked?: boolean | undefined;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <section class={props.stacked === true ? "panel stack" : "panel"}>
      <h2>{props.title}</h2>
      {props.children}
    </section>
  );
}

/** A part of a page that may have failed. */
export function AttemptedPanel<T>(props: {
  readonly title: string;
  readonly of: Attempt<T>;
  draw(value: T): JSX.Element;
}): JSX.Element {
  return (
    <Panel title={props.title}>
      <Attempted of={props.of} draw={props.draw} />
    </Panel>
  );
}
