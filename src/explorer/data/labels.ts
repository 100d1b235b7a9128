/** Names of accounts: those of the network, and the user's own, which only the browser stores. */
import { signal } from "@preact/signals";
import { membersOf } from "../../client/decode.ts";
import { displayText } from "../text/text.ts";
import { followStored, readStoredJson, store } from "./storage.ts";

export const MAX_LABEL_LENGTH = 40;
const MAX_LABELS = 1_000;
const STORAGE_KEY = "holdfast-labels";

/** By address. */
export type Labels = ReadonlyMap<string, string>;

/** Drops values that are not strings, truncates long labels and limits their number. */
export function parseLabels(members: Readonly<Record<string, unknown>>): Labels {
  const labels = Object.entries(members).flatMap(([address, label]): [string, string][] =>
    typeof label === "string" && label !== "" ? [[address, label.slice(0, MAX_LABEL_LENGTH)]] : [],
  );
  return new Map(labels.slice(0, MAX_LABELS));
}

const ownLabels = signal<Labels>(new Map());
export const networkLabels = signal<Labels>(new Map());

/** Must be called once. */
export function loadLabels(): void {
  followStored(STORAGE_KEY, () => {
    ownLabels.value = parseLabels(membersOf(readStoredJson(STORAGE_KEY)));
  });
}

export function labelOf(address: string) {
  const ownLabel = ownLabels.value.get(address);
  const label = ownLabel ?? networkLabels.value.get(address);
  return label === undefined ? undefined : { text: displayText(label), isOwn: ownLabel !== undefined };
}

/** @param text an empty text removes the label */
export function setLabel(address: string, text: string): void {
  const others = Object.fromEntries([...ownLabels.value].filter(([other]) => other !== address));
  ownLabels.value = parseLabels(text === "" ? others : { [address]: text, ...others });
  store(STORAGE_KEY, JSON.stringify(Object.fromEntries(ownLabels.value)));
}
