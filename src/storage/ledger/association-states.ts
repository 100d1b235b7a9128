import { ByteWriter } from "../../bytes/writer.ts";
import { ADDRESS_LENGTH } from "../../crypto/addresses.ts";
import { fastHash } from "../../crypto/hashes.ts";
import { associationStateAfter } from "../../ledger/associations.ts";
import type { AssociationEvent } from "../../ledger/state.ts";
import type { AssociationTerms } from "../../transactions/index.ts";
import type { Writer } from "../kv.ts";
import { tables } from "../tables.ts";

const scratch = new ByteWriter(512);

/** Returns the sender and a hash of the other terms. A missing subject differs from an empty one. Page 05 §19. */
export function associationKey(
  sender: Uint8Array,
  { associationType, recipient, subject }: AssociationTerms,
): Uint8Array {
  scratch.clear().i64(associationType).bytes(recipient);
  if (subject !== undefined) scratch.u8(1).bytes(subject);
  const digest = fastHash(scratch.toBytes());
  const key = new Uint8Array(ADDRESS_LENGTH + digest.length);
  key.set(sender);
  key.set(digest, ADDRESS_LENGTH);
  return key;
}

export function updateAssociationState(rows: Writer, event: AssociationEvent, height: number): void {
  const key = associationKey(event.sender, event.terms);
  const before = rows.get(tables.associationStates, key);
  const after = associationStateAfter(before, event, height);
  if (after !== before) rows.put(tables.associationStates, key, after);
}
