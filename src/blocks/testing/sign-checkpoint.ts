import { type KeyPair, sign } from "../../crypto/signatures.ts";
import { type Checkpoint, type CheckpointItem, checkpointUnsignedBytes } from "../checkpoint.ts";

/** @param keyPair ed25519 */
export function signCheckpoint(items: readonly CheckpointItem[], keyPair: KeyPair): Checkpoint {
  return { items, signature: sign(keyPair, checkpointUnsignedBytes(items)) };
}
