import { bytesEqual } from "../../bytes/compare.ts";
import { addressOf } from "../../crypto/addresses.ts";
import type { PublicKey } from "../../crypto/key-types.ts";
import type { Writer } from "../../storage/kv.ts";
import { tables } from "../../storage/tables.ts";
import type { MethodRecord, ServiceRecord } from "../../storage/values/indexes.ts";
import type { DataEntry } from "../../transactions/data-entry.ts";
import {
  type AssociationTerms,
  definitionOf,
  type StatementTerms,
  type Transaction,
} from "../../transactions/index.ts";
import { type ConfiguredIndex, indexInSteps } from "../chain-index.ts";
import { CapabilityCache } from "./did-capabilities.ts";
import { parseServiceJson } from "./did-document.ts";
import { mayDeactivate } from "./did-methods.ts";
import { allRelationships, relationshipBits } from "./did-records.ts";

/**
 * Range of association types that add a verification method to the sender's DID. `capabilityType` instead allows the
 * recipient to deactivate that DID.
 */
const firstMethodType = 0x100n;
const lastMethodType = 0x120n;
const capabilityType = 0x108n;
/** Statement types that deactivate the sender's or recipient's DID. Page 07 §8.2. */
const deactivateOwn = 0x120n;
const deactivateOther = 0x121n;
const servicePrefix = "did:service:";
const delayKey = "revokeDelay";

/** Indexes the first seen public key of each address. Page 07 §8.1. */
export function keyIndex(): ConfiguredIndex {
  return {
    configuration: { names: ["keys"], text: "first seen" },
    apply(writer, unit) {
      if (unit.transactions.length === 0) return;
      // An account's transactions usually share the address object.
      const checked = new Set<Uint8Array>();
      for (const { transaction } of unit.transactions) {
        const { hasSender, accounts } = definitionOf(transaction);
        if (!hasSender) continue; // page 07 §15, BUG-8
        if (!checked.has(transaction.senderAddress)) {
          checked.add(transaction.senderAddress);
          storeFirstSeen(writer, transaction.senderAddress, transaction.sender, transaction.timestamp);
        }
        if (accounts !== undefined)
          for (const key of accounts(transaction))
            storeFirstSeen(writer, addressOf(key.bytes, transaction.chainId), key, transaction.timestamp);
      }
    },
  };
}

/** Indexes methods, services and deactivations of DIDs. Page 07 §8.2, with the corrections of §15. */
export function identityIndex(): ConfiguredIndex {
  return indexInSteps({ names: ["identities"], text: "all" }, function* (writer, unit) {
    const capabilities = new CapabilityCache(writer);
    for (const { transaction, position } of unit.transactions) {
      const { hasSender, association, statement, entries } = definitionOf(transaction);
      if (!hasSender) continue; // page 07 §15, BUG-8
      const giver = capabilityGiverOf(transaction);
      if (giver !== undefined) yield* capabilities.load(giver);
      const place = { address: transaction.senderAddress, height: unit.height, position };
      const record =
        association &&
        methodOf(transaction, association.terms(transaction), association.revokes, capabilities);
      if (record !== undefined) {
        // `add` may first load the stored records, which must not contain this one yet.
        capabilities.add(place.address, record);
        writer.insert(tables.didMethods, place, record);
      }
      if (statement !== undefined) deactivate(writer, statement(transaction), transaction, capabilities);
      if (entries === undefined) continue;
      for (const [index, dataEntry] of entries(transaction).entries()) {
        const service = serviceOf(dataEntry, transaction.timestamp);
        if (service !== undefined) writer.insert(tables.didServices, { ...place, entry: index }, service);
      }
    }
  });
}

function capabilityGiverOf(transaction: Transaction): Uint8Array | undefined {
  const { association, statement } = definitionOf(transaction);
  if (association?.terms(transaction).associationType === capabilityType) return transaction.senderAddress;
  const stated = statement?.(transaction);
  return stated?.statementType === deactivateOther ? stated.recipient : undefined;
}

/** Page 07 §8.2, §8.3, §8.5. */
function methodOf(
  { senderAddress: sender, timestamp }: Transaction,
  { associationType: type, recipient, expires, data = [] }: AssociationTerms,
  revokes: boolean,
  capabilities: CapabilityCache,
): MethodRecord | undefined {
  const isOwn = bytesEqual(sender, recipient);
  const capability = type === capabilityType;
  if (type < firstMethodType || type > lastMethodType || (capability && isOwn)) return undefined;
  if (revokes) {
    // The newest record in chain order sets the delay; a record that revokes has none.
    const delay = capability ? (capabilities.newest(sender, recipient)?.revokeDelay ?? 0n) : 0n;
    const relationships = isOwn ? allRelationships : 0;
    return { capability, relationships, recipient, timestamp: timestamp + delay };
  }
  const relationships = Number(type) | 0x100 | relationshipsOf(data);
  const revokeDelay = capability ? revokeDelayOf(data) : undefined;
  return { capability, relationships, recipient, timestamp, expires, revokeDelay };
}

function storeFirstSeen(writer: Writer, address: Uint8Array, key: PublicKey, created: bigint): void {
  if (writer.get(tables.firstSeenKeys, address) !== undefined) return;
  writer.put(tables.firstSeenKeys, address, { keyType: key.keyType, publicKey: key.bytes, created });
}

/** Returns the relationships that the keys of truthy data entries name. Page 07 §8.3. */
function relationshipsOf(data: readonly DataEntry[]): number {
  let bits = 0;
  for (const { key, value } of data) {
    if (Object.hasOwn(relationshipBits, key) && value !== false && value !== 0n && value !== "") {
      bits |= relationshipBits[key as keyof typeof relationshipBits];
    }
  }
  return bits;
}

/** Returns the entry `revokeDelay`, ms, if it is a positive integer. Page 07 §8.5. */
function revokeDelayOf(data: readonly DataEntry[]): bigint | undefined {
  const entry = data.find(({ key }) => key === delayKey);
  return entry?.type === "integer" && entry.value > 0n ? entry.value : undefined;
}

/** Stores a deactivation if it is valid and the DID has none. Page 07 §8.2, §8.5, §15 (BUG-18). */
function deactivate(
  writer: Writer,
  { statementType, recipient }: StatementTerms,
  { senderAddress: sender, timestamp }: Transaction,
  capabilities: CapabilityCache,
): void {
  const address =
    statementType === deactivateOwn ? sender : statementType === deactivateOther ? recipient : undefined;
  if (address === undefined || writer.get(tables.deactivations, address) !== undefined) return;
  if (
    bytesEqual(address, sender) ||
    mayDeactivate(capabilities.inEffect(address, sender, timestamp), timestamp)
  )
    writer.put(tables.deactivations, address, { sender, timestamp });
}

/** A string entry sets a service; an integer or boolean removes it. Page 07 §8.6. */
function serviceOf({ key, type, value }: DataEntry, timestamp: bigint): ServiceRecord | undefined {
  if (!key.startsWith(servicePrefix) || type === "binary") return undefined;
  if (type === "string" && parseServiceJson(value) === undefined) return undefined;
  const fragment = `#${key.slice(servicePrefix.length)}`;
  return { fragment, json: type === "string" ? value : undefined, timestamp };
}
