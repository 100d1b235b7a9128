/** Reverted blocks that this browser noticed and stores, so that notices survive a reload. */
import { computed, type ReadonlySignal, signal } from "@preact/signals";
import { membersOf } from "../../client/decode.ts";
import type { NodeApi, RecentBlock } from "../page.ts";

interface NoticedBlock {
  readonly id: string;
  readonly height: number;
  readonly isSeen: boolean;
}

const MAX_NOTICED = 100;

let storageKey: string | undefined;
const noticed = signal<readonly NoticedBlock[]>([]);

export const unseenBlocks: ReadonlySignal<readonly NoticedBlock[]> = computed(() =>
  noticed.value.filter(({ isSeen }) => !isSeen),
);

const isNoticedBlock = (value: unknown): value is NoticedBlock => {
  const { id, height, isSeen } = membersOf(value);
  return typeof id === "string" && typeof height === "number" && typeof isSeen === "boolean";
};

function load(): void {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey ?? "") ?? "[]");
    if (Array.isArray(stored)) noticed.value = stored.filter(isNoticedBlock).slice(0, MAX_NOTICED);
  } catch {
    // The browser denies access to its storage.
  }
}

function store(blocks: readonly NoticedBlock[]): void {
  noticed.value = blocks.slice(-MAX_NOTICED);
  try {
    if (storageKey !== undefined) localStorage.setItem(storageKey, JSON.stringify(noticed.value));
  } catch {
    // The browser denies access to its storage.
  }
}

/** Loads the notices about a node. Must be called once. */
export function loadNotices({ servesPage, url }: NodeApi): void {
  storageKey = servesPage ? "holdfast-reorganisations" : `holdfast-reorganisations ${url}`;
  load();
  // Another tab has changed the notices.
  window.addEventListener("storage", ({ key }) => {
    if (key === storageKey) load();
  });
}

export function noticeReverted(blocks: readonly RecentBlock[]): void {
  const known = new Set(noticed.peek().map(({ id }) => id));
  const added = blocks.filter(({ id, reverted }) => reverted !== undefined && !known.has(id)).reverse();
  if (added.length > 0)
    store([...noticed.peek(), ...added.map(({ id, height }) => ({ id, height, isSeen: false }))]);
}

export function markSeen(): void {
  if (unseenBlocks.value.length > 0) store(noticed.peek().map((block) => ({ ...block, isSeen: true })));
}
