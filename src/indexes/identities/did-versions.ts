import { bytesKey } from "../../bytes/compare.ts";
import type { MethodRecord } from "../../storage/values/indexes.ts";
import { byTimestamp } from "./did-methods.ts";
import type { IdentityFacts } from "./did-records.ts";

/**
 * Returns the start times of the versions of a DID document, ms, ascending. A version begins at the creation, at each
 * change of a method, service or capability, and when a method or capability expires. The last version begins at the
 * deactivation, if any. Records dated before the creation belong to the first version.
 * @param until omits versions that begin later
 */
export function versionTimes(
  facts: IdentityFacts,
  address: Uint8Array,
  created: bigint,
  until: bigint,
): readonly bigint[] {
  const methods = facts.methods(address);
  const deactivatedAt = facts.deactivation(address)?.timestamp;
  const times = new Set([
    ...[...methods, ...facts.services(address)].map(({ timestamp }) => timestamp),
    ...expiryTimes(methods.filter(({ capability }) => capability)),
    ...expiryTimes(methods.filter(({ capability }) => !capability)),
    ...(deactivatedAt === undefined ? [] : [deactivatedAt]),
  ]);
  const changes = [...times].filter(
    (time) => time > created && time <= until && (deactivatedAt === undefined || time <= deactivatedAt),
  );
  return [created, ...changes.sort((a, b) => (a < b ? -1 : 1))];
}

/** Returns the millisecond after each expiry. Omits records that a newer record replaced before they expired. */
function expiryTimes(records: readonly MethodRecord[]): bigint[] {
  const times: bigint[] = [];
  const replacedAtByRecipient = new Map<string, bigint>();
  for (const { recipient, relationships, timestamp, expires } of [...records].sort(byTimestamp).reverse()) {
    const key = bytesKey(recipient);
    const replacedAt = replacedAtByRecipient.get(key);
    replacedAtByRecipient.set(key, timestamp);
    if (relationships === 0 || expires === undefined || expires < timestamp) continue;
    if (replacedAt === undefined || replacedAt > expires) times.push(expires + 1n);
  }
  return times;
}
