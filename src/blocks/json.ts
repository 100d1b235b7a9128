/** Page 03 §2.8. */
import { encodeBase58 } from "../bytes/base58.ts";
import type { JsonOut } from "../bytes/json.ts";
import { addressText } from "../crypto/addresses.ts";
import { type BlockHeader, FEATURES_VERSION } from "./block.ts";

/** `generator` is an address (26 bytes); `id` replaces `signature`. */
interface HeaderView extends Omit<BlockHeader, "signature"> {
  readonly id: Uint8Array;
  /** Size of the whole block, bytes. */
  readonly size: number;
}

/** Members of a block in the answers of all routes, in order. Page 06 §5.5. */
export function headerMembers(header: HeaderView): Map<string, JsonOut> {
  const members = new Map<string, JsonOut>([
    ["version", header.version],
    ["timestamp", header.timestamp],
    ["reference", encodeBase58(header.reference)],
    [
      "nxt-consensus",
      {
        "base-target": header.baseTarget,
        "generation-signature": encodeBase58(header.generationSignature),
      },
    ],
  ]);
  if (header.version >= FEATURES_VERSION) members.set("features", [...header.features]);
  return members
    .set("feeVote", header.feeVote)
    .set("generator", addressText(header.generator))
    .set("signature", encodeBase58(header.id))
    .set("blocksize", header.size)
    .set("transactionCount", header.transactionCount);
}
