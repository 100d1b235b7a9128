import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { commonTexts } from "../../text/common-texts.ts";

type LoadState<T> = "idle" | "loading" | "failed" | { readonly value: T };

export function LoadButton<T>(props: {
  readonly label: string;
  readonly failedText: string;
  fetch(): Promise<T>;
  render(value: T): ComponentChildren;
}) {
  const { label, failedText, fetch, render } = props;
  const state = useSignal<LoadState<T>>("idle");
  const load = async (): Promise<void> => {
    state.value = "loading";
    try {
      state.value = { value: await fetch() };
    } catch (error) {
      console.warn(error);
      state.value = "failed";
    }
  };
  const current = state.value;
  if (typeof current !== "string") return <>{render(current.value)}</>;
  return (
    <p>
      <button type="button" disabled={current === "loading"} onClick={load}>
        {current === "loading" ? commonTexts.loading : label}
      </button>{" "}
      {current === "failed" && failedText}
    </p>
  );
}
