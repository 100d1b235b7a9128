/** The API key of the page's own node, as somebody gave it: in memory, until the page is closed or loaded again. */
import { type ReadonlySignal, signal } from "@preact/signals";
import type { Client } from "../../client/index.ts";
import type { NodeApi } from "../page.ts";

const kept = signal<string | undefined>(undefined);

/** The key; undefined while there is none. Nothing writes it down. */
export const apiKey: ReadonlySignal<string | undefined> = kept;

/** @param key undefined: it is forgotten */
export function setApiKey(key: string | undefined): void {
  kept.value = key;
}

/** A client that may call the routes that ask for a key, as far as one is kept. Another node than the own is never sent it. */
export function keyedClient(node: NodeApi): Client {
  const key = kept.peek();
  return node.own && key !== undefined ? node.withKey(key) : node.client;
}
