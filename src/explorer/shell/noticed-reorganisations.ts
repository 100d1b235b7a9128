/** Reverted blocks that this browser noticed and stores, so that notices survive a reload. */
import { computed, type ReadonlySignal, signal } from "@preact/signals";
import { membersOf } from "../../client/decode.ts";
import { followStored, readStoredJson, store } from "../data/storage.ts";
import type { NodeApi, RecentBlock } from "../page.ts";

interface NoticedBlock {
  readonly id: string;
  readonly height: number;
  readonly isSeen: boolean;
}

const MAX_NOTICED = 100;

let storageKey = "holdfast-reorganisations";
const noticed = signal<readonly NoticedBlock[]>([]);

export const unseenBlocks: ReadonlySignal<readonly NoticedBlock[]> = computed(() =>
  noticed.value.filter(({ isSeen }) => !isSeen),
);

const isNoticedBlock = (value: unknown): value is NoticedBlock => {
  const { id, height, isSeen } = membersOf(value);
  return typeof id === "string" && typeof height === "number" && typeof isSeen === "boolean";
};

function setNoticed(blocks: readonly NoticedBlock[]): void {
  noticed.value = blocks.slice(-MAX_NOTICED);
  store(storageKey, JSON.stringify(noticed.value));
}

/** Loads the notices about a node. Must be called once. */
export function loadNotices({ servesPage, url }: NodeApi): void {
  if (!servesPage) storageKey += ` ${url}`;
  followStored(storageKey, () => {
    const stored = readStoredJson(storageKey);
    if (Array.isArray(stored)) noticed.value = stored.filter(isNoticedBlock).slice(0, MAX_NOTICED);
  });
}

export function noticeReverted(blocks: readonly RecentBlock[]): void {
  const known = new Set(noticed.peek().map(({ id }) => id));
  const added = blocks.filter(({ id, reverted }) => reverted !== undefined && !known.has(id)).reverse();
  if (added.length > 0)
    setNoticed([...noticed.peek(), ...added.map(({ id, height }) => ({ id, height, isSeen: false }))]);
}

export function markSeen(): void {
  if (unseenBlocks.value.length > 0) setNoticed(noticed.peek().map((block) => ({ ...block, isSeen: true })));
}
