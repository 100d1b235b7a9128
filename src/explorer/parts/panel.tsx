import type { ComponentChildren, JSX } from "preact";
import type { Attempt } from "../page.ts";
import { Attempted } from "./attempted.tsx";

/** @param props.stacked adds space between the children */
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

export function AttemptedPanel<T>(props: {
  readonly title: string;
  readonly attempt: Attempt<T> | undefined;
  readonly lines?: number | undefined;
  render(value: T): JSX.Element;
}): JSX.Element {
  return (
    <Panel title={props.title}>
      <Attempted attempt={props.attempt} lines={props.lines} render={props.render} />
    </Panel>
  );
}
