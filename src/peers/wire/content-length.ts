import { BLOCK_ID_LENGTH } from "../../blocks/block.ts";
import type { Message } from "./messages.ts";

/** About how many bytes a message has, where it may have many: those of blocks and transactions, and of lists of ids. */
export function contentLength(message: Message): number {
  if ("bytes" in message) return message.bytes.length;
  return "ids" in message ? message.ids.length * BLOCK_ID_LENGTH : 0;
}
