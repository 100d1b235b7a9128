import { BLOCK_ID_LENGTH } from "../../blocks/block.ts";
import type { Message } from "./messages.ts";

/** Returns the bytes of the block, micro block, transaction or ids in a message; 0 for other messages. */
export function contentLength(message: Message): number {
  if ("bytes" in message) return message.bytes.length;
  return "ids" in message ? message.ids.length * BLOCK_ID_LENGTH : 0;
}
