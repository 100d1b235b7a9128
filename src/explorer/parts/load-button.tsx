import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";

type LoadState<T> = "not asked" | "asked" | "failed" | { readonly value: T };

/** A button that fetches something, and then what came of it. What failed can be tried again. */
export function LoadButton<T>(props: {
  readonly words: string;
  /** Said beside the button once it failed. */
  readonly failed: string;
  fetch(): Promise<T>;
  draw(value: T): ComponentChildren;
}): JSX.Element {
  const { words, failed, fetch, draw } = props;
  const fetched = useSignal<LoadState<T>>("not asked");
  const ask = async (): Promise<void> => {
    fetched.value = "asked";
    try {
      fetched.value = { value: await fetch() };
    } catch (error) {
      // Whatever it is, one can try again.
      console.warn(error);
      fetched.value = "failed";
    }
  };
  const now = fetched.value;
  if (typeof now !== "string") return <>{draw(now.value)}</>;
  return (
    <p>
      <button type="button" disabled={now === "asked"} onClick={ask}>
        {now === "asked" ? "Fetching …" : words}
      </button>{" "}
      {now === "failed" && failed}
    </p>
  );
}
