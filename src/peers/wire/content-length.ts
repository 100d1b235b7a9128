import { BLOCK_ID_LENGTH } from "../../blocks/block.ts";
import type { Message } from "./messages.ts";

/** Bytes of blocks, transactions and ids. */
export function contentLength(message: Message): number {
  if ("bytes" in message) return message.bytes.length;
  return "ids" in message ? message.ids.length * BLOCK_ID_LENGTH : 0;
}
