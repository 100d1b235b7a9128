/** The user's API key, which is only in memory. */
import { type ReadonlySignal, signal } from "@preact/signals";
import type { Client } from "../../client/index.ts";
import type { NodeApi } from "../page.ts";

const currentKey = signal<string | undefined>(undefined);

export const apiKey: ReadonlySignal<string | undefined> = currentKey;

export function setApiKey(key: string | undefined): void {
  currentKey.value = key;
}

/** Returns a client that sends the API key, if any. Only the node that serves the page receives the key. */
export function keyedClient(node: NodeApi): Client {
  const key = currentKey.peek();
  return node.servesPage && key !== undefined ? node.withKey(key) : node.client;
}
