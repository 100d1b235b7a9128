import type { Block, BlockHeader } from "../../blocks/block.ts";
import type { MicroBlock } from "../../blocks/micro-block.ts";
import { encodeBase58 } from "../../bytes/base58.ts";
import type { Result } from "../../errors/result.ts";
import { errorMessage } from "../../ledger/refusal.ts";
import { errorText, type ValidationError } from "../../transactions/errors.ts";

/**
 * Why a block, micro block or extension is rejected. `text` is the protocol's text; `printed` appears in logs and as
 * the reason in the blacklist. Page 03 §12.1.
 */
export interface BlockRefusal {
  readonly kind:
    | "GenericError"
    | "BlockAppendError"
    | "BlockFromFuture"
    | "InvalidSignature"
    | "MicroBlockAppendError"
    | "TransactionValidationError";
  readonly text: string;
  readonly printed: string;
  readonly cause?: { readonly error: ValidationError; readonly transactionId: Uint8Array } | undefined;
  /** True if the block may be valid: this node cannot decide. */
  readonly isNodeFault?: true | undefined;
}

/** `known`: the chain has the block; `ignored`: there is nothing to add or remove. */
type AppendOutcome = "appended" | "known" | "ignored";

export type AppendResult = Result<AppendOutcome, BlockRefusal>;

/** Formats `Block({id} -> {first 7 of the reference}..., txs={n}, features=Set(...))`. */
export function blockText(block: Block | BlockHeader): string {
  const id = encodeBase58(block.signature);
  const reference = encodeBase58(block.reference).slice(0, 7);
  const features = block.features.join(", ");
  const count = "transactions" in block ? block.transactions.length : Math.max(0, block.transactionCount);
  return `Block(${id} -> ${reference}..., txs=${count}, features=Set(${features}))`;
}

/** Formats `MicroBlock({first 7 of the total}... -> {first 7 of the previous}..., txs={n})`. */
export function microBlockText(micro: MicroBlock): string {
  const total = encodeBase58(micro.totalSignature).slice(0, 7);
  const previous = encodeBase58(micro.reference).slice(0, 7);
  return `MicroBlock(${total}... -> ${previous}..., txs=${micro.transactions.length})`;
}

export function genericRefusal(text: string): BlockRefusal {
  return { kind: "GenericError", text, printed: `GenericError(${text})` };
}

/** Returns the refusal of rows 3-5 and 7-9 of page 03 §12.4. */
export function invalidBlockRefusal(block: Block | BlockHeader, text: string): BlockRefusal {
  return genericRefusal(`Block ${blockText(block)} is invalid: ${text}`);
}

export function blockRefusal(text: string, block: Block | BlockHeader): BlockRefusal {
  return { kind: "BlockAppendError", text, printed: `BlockAppendError(${text},${blockText(block)})` };
}

/** Returns the refusal of row 2 of page 03 §12.4. */
export function scriptedRefusal(block: Block | BlockHeader, generator: Uint8Array): BlockRefusal {
  const text = `Account(${encodeBase58(generator)}) is scripted are therefore not allowed to forge blocks`;
  return blockRefusal(text, block);
}

export function futureRefusal(timestamp: bigint): BlockRefusal {
  return { kind: "BlockFromFuture", text: String(timestamp), printed: `BlockFromFuture(${timestamp})` };
}

export function signatureRefusal(objectText: string): BlockRefusal {
  return {
    kind: "InvalidSignature",
    text: objectText,
    printed: `InvalidSignature(${objectText} reason: None)`,
  };
}

export function microRefusal(
  text: string,
  micro: Pick<MicroBlock, "reference" | "totalSignature">,
): BlockRefusal {
  const total = encodeBase58(micro.totalSignature);
  const previous = encodeBase58(micro.reference).slice(0, 7);
  return {
    kind: "MicroBlockAppendError",
    text,
    // The protocol's text has no opening bracket.
    printed: `MicroBlockAppendError(${text}, ${total} ~> ${previous}...])`,
  };
}

export function transactionRefusal(error: ValidationError, transactionId: Uint8Array): BlockRefusal {
  return {
    kind: "TransactionValidationError",
    text: errorMessage(error),
    printed: `TransactionValidationError(${errorText(error)},${encodeBase58(transactionId)})`,
    cause: { error, transactionId },
  };
}
