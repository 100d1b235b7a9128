/** Functions of the browser that tests replace. */
import { setTimer } from "../../client/bounded-fetch.ts";
import type { Clock } from "../../interfaces.ts";

export type PageClock = Pick<Clock, "now" | "after">;

export interface Visibility {
  isHidden(): boolean;
  /** @returns a function that removes the listener */
  onChange(listener: () => void): () => void;
}

export const browserClock: PageClock = { now: () => Date.now(), after: setTimer };

export const tabVisibility: Visibility = {
  isHidden: () => document.hidden,
  onChange: (listener) => {
    document.addEventListener("visibilitychange", listener);
    return () => document.removeEventListener("visibilitychange", listener);
  },
};

export const yieldToBrowser = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));
