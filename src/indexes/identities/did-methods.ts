import { bytesKey } from "../../bytes/compare.ts";
import type { MethodRecord } from "../../storage/values/indexes.ts";
import { allRelationships, isActive } from "./did-records.ts";

interface ActiveMethod {
  readonly recipient: Uint8Array;
  readonly relationships: number;
  /** Last millisecond at which the method is in the document; undefined if it never expires. */
  readonly expires?: bigint | undefined;
}

/** Page 07 §8.4. */
const DEACTIVATE_ONLY_BIT = 0x1000;

/**
 * Returns methods at a time (ms), in document order. Page 07 §8.4.
 * @param records records of the address in chain order, which decides between equal timestamps
 */
export function methodsAt(
  address: Uint8Array,
  records: readonly MethodRecord[],
  time: bigint,
): readonly ActiveMethod[] {
  const defaultOwnMethod: MethodRecord = {
    capability: false,
    relationships: allRelationships,
    recipient: address,
    timestamp: 0n,
  };
  const methods = latestPerRecipient(
    [defaultOwnMethod, ...records.filter((record) => !record.capability)],
    time,
  );
  const capabilities = latestPerRecipient(
    records.filter((record) => record.capability),
    time,
  );
  for (const [recipient, capability] of capabilities) {
    if (!isActive(capability, time)) continue;
    const method = methods.get(recipient);
    if (method !== undefined && isActive(method, time)) {
      methods.set(recipient, {
        ...method,
        relationships: method.relationships | capability.relationships,
      });
    } else {
      methods.set(recipient, {
        ...capability,
        relationships: capability.relationships | DEACTIVATE_ONLY_BIT,
      });
    }
  }
  const ownKey = bytesKey(address);
  const ownMethod = methods.get(ownKey);
  if (ownMethod === undefined || !isActive(ownMethod, time)) methods.set(ownKey, defaultOwnMethod);
  return [...methods.values()].filter((method) => isActive(method, time));
}

/** Returns each recipient's newest record up to a time, in the order in which recipients first appeared. */
function latestPerRecipient(records: readonly MethodRecord[], time: bigint): Map<string, MethodRecord> {
  const latest = new Map<string, MethodRecord>();
  for (const record of [...records].sort(byTimestamp)) {
    if (record.timestamp <= time) latest.set(bytesKey(record.recipient), record);
  }
  return latest;
}

/** Orders by timestamp; a stable sort keeps the chain order of equal timestamps. */
export function byTimestamp(a: { readonly timestamp: bigint }, b: { readonly timestamp: bigint }): number {
  return a.timestamp < b.timestamp ? -1 : a.timestamp > b.timestamp ? 1 : 0;
}

/** Returns true for a capability in effect at a time (ms). Page 07 §8.5. */
export function mayDeactivate(capability: MethodRecord | undefined, time: bigint): boolean {
  return capability !== undefined && isActive(capability, time);
}
