import type { ComponentChildren, JSX } from "preact";
import { Icon } from "./icon.tsx";

interface NoticeProps {
  /** `wrong`: something failed; `unsettled`: it is not final. */
  readonly kind: "plain" | "right" | "unsettled" | "wrong";
  readonly children: ComponentChildren;
}

/** A box with something to know before all else. */
export function Notice(props: NoticeProps): JSX.Element {
  const sign = { plain: undefined, right: "check", unsettled: "wait", wrong: "cross" } as const;
  const name = sign[props.kind];
  return (
    <div class={`notice ${props.kind}`}>
      {name !== undefined && <Icon name={name} />}
      <div>{props.children}</div>
    </div>
  );
}

/** The same with one paragraph. */
export const Note = ({ kind, children }: NoticeProps): JSX.Element => (
  <Notice kind={kind}>
    <p>{children}</p>
  </Notice>
);
