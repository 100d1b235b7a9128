/** What the data of the page is given of the browser: time, and whether somebody can see it. Tests hand in their own. */
import { setTimer } from "../../client/bounded-fetch.ts";
import type { Clock } from "../../interfaces.ts";

/** Time as the browser has it. */
export type PageClock = Pick<Clock, "now" | "after">;

/** Whether somebody can see the page. */
export interface Visibility {
  isHidden(): boolean;
  /** Calls `told` whenever that changes. @returns what ends it */
  onChange(told: () => void): () => void;
}

/** That of the browser. */
export const browserClock: PageClock = { now: () => Date.now(), after: setTimer };

/** Of the tab that the page is in. */
export const tabVisibility: Visibility = {
  isHidden: () => document.hidden,
  onChange: (told) => {
    document.addEventListener("visibilitychange", told);
    return () => document.removeEventListener("visibilitychange", told);
  },
};

/** Lets the page be drawn and used. */
export const yieldToBrowser = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));
