import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { partTexts as texts } from "./texts.ts";

type LoadState<T> = "not asked" | "asked" | "failed" | { readonly value: T };

/** A button that the result replaces; failures can be retried. */
export function LoadButton<T>(props: {
  readonly label: string;
  /** Shown after a failure. */
  readonly failed: string;
  fetch(): Promise<T>;
  draw(value: T): ComponentChildren;
}): JSX.Element {
  const { label, failed, fetch, draw } = props;
  const fetched = useSignal<LoadState<T>>("not asked");
  const ask = async (): Promise<void> => {
    fetched.value = "asked";
    try {
      fetched.value = { value: await fetch() };
    } catch (error) {
      console.warn(error);
      fetched.value = "failed";
    }
  };
  const now = fetched.value;
  if (typeof now !== "string") return <>{draw(now.value)}</>;
  return (
    <p>
      <button type="button" disabled={now === "asked"} onClick={ask}>
        {now === "asked" ? texts.loading : label}
      </button>{" "}
      {now === "failed" && failed}
    </p>
  );
}
