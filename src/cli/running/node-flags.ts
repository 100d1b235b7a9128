import type { Command } from "commander";
import { wholeNumber } from "../numbers.ts";
import { parseNodeUrl } from "../verify-anchor.ts";

export const keyHelp = `
The API key comes from --api-key-file, --api-key, HOLDFAST_API_KEY or HOLDFAST_API_KEY_FILE. Other users can see flags
in the process list: prefer the file. Only requests that need the key contain it.
`;

export function addNodeFlags(command: Command): Command {
  return command
    .option("--node <URL>", "API of the node (default: the one on this machine)", parseNodeUrl)
    .option("--api-key <KEY>", "API key")
    .option("--api-key-file <PATH>", "file whose first line is the API key")
    .option("--timeout <SECONDS>", "timeout of a response, up to 3600", wholeNumber(1, 3_600), 20);
}
