import { bytesEqual } from "../../bytes/compare.ts";
import { addressOf } from "../../crypto/addresses.ts";
import type { PublicKey } from "../../crypto/key-types.ts";
import type { Writer } from "../../storage/kv.ts";
import type { Place } from "../../storage/places.ts";
import { tables } from "../../storage/tables.ts";
import type { DataEntry } from "../../transactions/data-entry.ts";
import {
  type AssociationTerms,
  type Declaration,
  definitionOf,
  type Transaction,
} from "../../transactions/index.ts";
import { type ConfiguredIndex, runToEnd, type StoredTransaction, type StoredUnit } from "../chain-index.ts";
import { CapabilityCache } from "./did-capabilities.ts";
import { parseServiceJson } from "./did-document.ts";
import { mayDeactivate } from "./did-methods.ts";
import { allRelationships, type MethodRecord, relationshipBits } from "./did-records.ts";

/** Association types that give or revoke verification methods, and the one that gives power to deactivate. */
const firstMethodType = 0x100n;
const lastMethodType = 0x120n;
const capabilityType = 0x108n;
/** Statement types that deactivate the sender's DID, or that of the recipient. Page 07 §8.2. */
const deactivateOwn = 0x120n;
const deactivateOther = 0x121n;
const servicePrefix = "did:service:";
const delayName = "revokeDelay";

/** A transaction of an address. */
interface AddressPlace extends Place {
  readonly address: Uint8Array;
}

/** Public keys by address, as first seen: always there, since every DID document begins with one. Page 07 §8.1. */
export function keyIndex(): ConfiguredIndex {
  return {
    configuration: { names: ["keys"], text: "first seen" },
    apply(writer, unit) {
      // The same account mostly brings the same object: it need not be looked up for each of its transactions.
      const seen = new Set<Uint8Array>();
      for (const { transaction } of unit.transactions) {
        const { hasSender, accounts } = definitionOf(transaction);
        if (!hasSender) continue; // page 07 §15, BUG-8
        if (!seen.has(transaction.senderAddress)) {
          seen.add(transaction.senderAddress);
          keepFirstSeen(writer, transaction.senderAddress, transaction.sender, transaction.timestamp);
        }
        if (accounts !== undefined)
          for (const key of accounts(transaction))
            keepFirstSeen(writer, addressOf(key.bytes, transaction.chainId), key, transaction.timestamp);
      }
    },
  };
}

/**
 * Verification methods, services and deactivations: what DID documents are made of beside the key of the account.
 * Page 07 §8.2, with the corrections of §15.
 */
export function identityIndex(): ConfiguredIndex {
  const applyInSteps: NonNullable<ConfiguredIndex["applyInSteps"]> = function* (writer, unit) {
    const capabilities = new CapabilityCache(writer);
    for (const entry of unit.transactions) {
      const { transaction } = entry;
      const { hasSender, association, declaration, entries } = definitionOf(transaction);
      if (!hasSender) continue; // page 07 §15, BUG-8
      const giver = giverIn(transaction);
      if (giver !== undefined) yield* capabilities.load(giver);
      if (association !== undefined) {
        const { revokes, terms } = association;
        const place = placeOf(unit, entry);
        const record = methodOf(
          place.address,
          transaction.timestamp,
          terms(transaction),
          revokes,
          capabilities,
        );
        if (record !== undefined) {
          // Before it is written, since these are read from what is.
          capabilities.add(place.address, record);
          writer.insert(tables.didMethods, place, record);
        }
      }
      if (declaration !== undefined)
        putDeactivation(writer, declaration(transaction), transaction, capabilities);
      if (entries !== undefined)
        putServices(writer, placeOf(unit, entry), transaction.timestamp, entries(transaction));
    }
  };
  return {
    configuration: { names: ["identities"], text: "all" },
    apply: (writer, unit) => runToEnd(applyInSteps(writer, unit)),
    applyInSteps,
  };
}

/**
 * Returns the account whose powers to deactivate a transaction asks about, if any. It may have any number of records,
 * which are read in steps.
 */
function giverIn(transaction: Transaction): Uint8Array | undefined {
  const { association, declaration } = definitionOf(transaction);
  if (association?.terms(transaction).associationType === capabilityType) return transaction.senderAddress;
  const stated = declaration?.(transaction);
  return stated?.statementType === deactivateOther ? stated.recipient : undefined;
}

function placeOf({ height }: StoredUnit, { transaction, position }: StoredTransaction): AddressPlace {
  return { address: transaction.senderAddress, height, position };
}

/** A verification method, or the power to deactivate, given or revoked; undefined: neither. Page 07 §8.2, §8.3, §8.5. */
function methodOf(
  sender: Uint8Array,
  timestamp: bigint,
  { associationType: type, recipient, expires, data = [] }: AssociationTerms,
  revokes: boolean,
  capabilities: CapabilityCache,
): MethodRecord | undefined {
  const toSelf = bytesEqual(sender, recipient);
  const capability = type === capabilityType;
  if (!isMethodType(type) || (capability && toSelf)) return undefined;
  if (revokes) {
    // Of the newest in chain order; a revoke has none.
    const delay = capability ? (capabilities.newest(sender, recipient)?.revokeDelay ?? 0n) : 0n;
    return {
      capability,
      relationships: toSelf ? allRelationships : 0,
      recipient,
      timestamp: timestamp + delay,
    };
  }
  return {
    capability,
    relationships: Number(type) | 0x100 | bitsOf(data),
    recipient,
    timestamp,
    expires,
    revokeDelay: capability ? delayOf(data) : undefined,
  };
}

/** Page 07 §8.2. */
function putDeactivation(
  writer: Writer,
  { statementType, recipient }: Declaration,
  { senderAddress: sender, timestamp }: Transaction,
  capabilities: CapabilityCache,
): void {
  if (statementType === deactivateOwn) deactivate(writer, sender, sender, timestamp, capabilities);
  else if (statementType === deactivateOther && recipient !== undefined)
    deactivate(writer, recipient, sender, timestamp, capabilities);
}

/** Page 07 §8.6. */
function putServices(
  writer: Writer,
  place: AddressPlace,
  timestamp: bigint,
  data: readonly DataEntry[],
): void {
  for (const [index, item] of data.entries()) {
    if (item.key.startsWith(servicePrefix)) putService(writer, { ...place, entry: index }, item, timestamp);
  }
}

function isMethodType(type: bigint): boolean {
  return type >= firstMethodType && type <= lastMethodType;
}

/** The key first seen in chain order stays. Page 07 §8.1. */
function keepFirstSeen(writer: Writer, address: Uint8Array, key: PublicKey, created: bigint): void {
  if (writer.get(tables.firstSeenKeys, address) !== undefined) return;
  writer.put(tables.firstSeenKeys, address, { keyType: key.keyType, publicKey: key.bytes, created });
}

/** Relationships named by data entries with a truthy value. Page 07 §8.3. */
function bitsOf(data: readonly DataEntry[]): number {
  let bits = 0;
  for (const { key, value } of data) {
    if (Object.hasOwn(relationshipBits, key) && value !== false && value !== 0n && value !== "") {
      bits |= relationshipBits[key as keyof typeof relationshipBits];
    }
  }
  return bits;
}

/** A positive integer entry `revokeDelay`, ms. Page 07 §8.5. */
function delayOf(data: readonly DataEntry[]): bigint | undefined {
  const entry = data.find(({ key }) => key === delayName);
  return entry?.type === "integer" && entry.value > 0n ? entry.value : undefined;
}

/** The first deactivation that is allowed stays. Page 07 §8.5, §15 (BUG-18). */
function deactivate(
  writer: Writer,
  address: Uint8Array,
  sender: Uint8Array,
  timestamp: bigint,
  capabilities: CapabilityCache,
): void {
  if (writer.get(tables.deactivations, address) !== undefined) return;
  if (
    bytesEqual(address, sender) ||
    mayDeactivate(capabilities.inEffect(address, sender, timestamp), timestamp)
  )
    writer.put(tables.deactivations, address, { sender, timestamp });
}

/** Page 07 §8.6: a text holds a service, an integer or boolean removes it, anything else is ignored. */
function putService(
  writer: Writer,
  key: AddressPlace & { readonly entry: number },
  item: DataEntry,
  timestamp: bigint,
): void {
  const fragment = `#${item.key.slice(servicePrefix.length)}`;
  if (item.type === "binary" || (item.type === "string" && parseServiceJson(item.value) === undefined))
    return;
  const json = item.type === "string" ? item.value : undefined;
  writer.insert(tables.didServices, key, { fragment, json, timestamp });
}
