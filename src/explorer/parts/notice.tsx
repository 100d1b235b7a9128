import type { ComponentChildren, JSX } from "preact";
import { Icon } from "./icon.tsx";

interface NoticeProps {
  /** `right` marks a success, `unsettled` a state that is not final, `wrong` a failure. */
  readonly kind: "plain" | "right" | "unsettled" | "wrong";
  readonly children: ComponentChildren;
}

export function Notice(props: NoticeProps): JSX.Element {
  const icons = { plain: undefined, right: "check", unsettled: "wait", wrong: "cross" } as const;
  const name = icons[props.kind];
  return (
    <div class={`notice ${props.kind}`}>
      {name !== undefined && <Icon name={name} />}
      <div>{props.children}</div>
    </div>
  );
}

export const Note = ({ kind, children }: NoticeProps): JSX.Element => (
  <Notice kind={kind}>
    <p>{children}</p>
  </Notice>
);

export const ProblemNotice = (props: {
  readonly kind?: NoticeProps["kind"];
  readonly problem: { readonly message: string; readonly advice: string };
}): JSX.Element => (
  <Notice kind={props.kind ?? "wrong"}>
    <p>{props.problem.message}</p>
    <p class="quiet">{props.problem.advice}</p>
  </Notice>
);
