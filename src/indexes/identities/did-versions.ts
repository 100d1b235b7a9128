/** The versions of a DID document: the times from which on it was another one. */
import { bytesKey } from "../../bytes/compare.ts";
import type { MethodRecord } from "../../storage/values/indexes.ts";
import { byTimestamp } from "./did-methods.ts";
import type { IdentityFacts } from "./did-records.ts";

/**
 * When each version of a document began, ms, ascending: its creation, then every method, service and power that was
 * given, taken or ran out, up to the deactivation. What is dated before the creation belongs to the first version.
 * @param until later versions are left out
 */
export function versionTimes(
  facts: IdentityFacts,
  address: Uint8Array,
  created: bigint,
  until: bigint,
): readonly bigint[] {
  const methods = facts.methods(address);
  const end = facts.deactivation(address)?.timestamp;
  const times = new Set([
    ...[...methods, ...facts.services(address)].map(({ timestamp }) => timestamp),
    ...expiryTimes(methods.filter(({ capability }) => capability)),
    ...expiryTimes(methods.filter(({ capability }) => !capability)),
    ...(end === undefined ? [] : [end]),
  ]);
  const changes = [...times].filter(
    (time) => time > created && time <= until && (end === undefined || time <= end),
  );
  return [created, ...changes.sort((a, b) => (a < b ? -1 : 1))];
}

/** When records ran out that no newer one for the same recipient had replaced by then: the first ms without them. */
function expiryTimes(records: readonly MethodRecord[]): bigint[] {
  const ends: bigint[] = [];
  const newer = new Map<string, bigint>();
  for (const { recipient, relationships, timestamp, expires } of [...records].sort(byTimestamp).reverse()) {
    const key = bytesKey(recipient);
    const replaced = newer.get(key);
    newer.set(key, timestamp);
    if (relationships === 0 || expires === undefined || expires < timestamp) continue;
    if (replaced === undefined || replaced > expires) ends.push(expires + 1n);
  }
  return ends;
}
