/** The API key of the explorer's own node, kept in memory only. */
import { type ReadonlySignal, signal } from "@preact/signals";
import type { Client } from "../../client/index.ts";
import type { NodeApi } from "../page.ts";

const currentKey = signal<string | undefined>(undefined);

export const apiKey: ReadonlySignal<string | undefined> = currentKey;

/** @param key undefined forgets it */
export function setApiKey(key: string | undefined): void {
  currentKey.value = key;
}

/** Returns a client with the API key, if known. Other nodes never receive the key. */
export function keyedClient(node: NodeApi): Client {
  const key = currentKey.peek();
  return node.own && key !== undefined ? node.withKey(key) : node.client;
}
