import { BLOCK_ID_LENGTH } from "../../blocks/block.ts";
import type { Message } from "./messages.ts";

/** Returns the approximate bytes of a block, a transaction or a list of ids; 0 for other messages. */
export function contentLength(message: Message): number {
  if ("bytes" in message) return message.bytes.length;
  return "ids" in message ? message.ids.length * BLOCK_ID_LENGTH : 0;
}
