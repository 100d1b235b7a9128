import { existsSync } from "node:fs";
import { join } from "node:path";
import Type from "typebox";
import { Value } from "typebox/value";
import { failure, UsageError } from "../exit-codes.ts";
import { readInput } from "../input.ts";

export const HOST = "127.0.0.1";
export const NETWORK_NAME = "LTO";

export const NetworkFile = Type.Object({
  nodes: Type.Array(
    Type.Object({
      apiPort: Type.Integer({ minimum: 1, maximum: 65_535 }),
      p2pPort: Type.Integer({ minimum: 1, maximum: 65_535 }),
    }),
    { minItems: 1, maxItems: 100 },
  ),
  apiKey: Type.String({ minLength: 16, maxLength: 200 }),
});
export type NetworkFile = Type.Static<typeof NetworkFile>;

export const networkFile = (folder: string) => join(folder, "network.json");
export const nodeFolder = (folder: string, number: number) => join(folder, `node-${number}`);
export const logFile = (folder: string, number: number) => join(nodeFolder(folder, number), "log.txt");
export const settingsFile = (folder: string, number: number) =>
  join(nodeFolder(folder, number), "settings.yaml");
export const seedsFile = (folder: string) => join(folder, "seeds.txt");
export const genesisFile = (folder: string) => join(folder, "genesis.json");
export const pidFile = (folder: string, number: number) => join(nodeFolder(folder, number), "pid");

/** Undefined if the directory has no network. @throws CommandError if network.json is invalid */
export function readNetwork(folder: string): NetworkFile | undefined {
  const path = networkFile(folder);
  if (!existsSync(path)) return undefined;
  const text = readInput(path);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (Value.Check(NetworkFile, value)) return value;
  throw failure(`${path} was not written by \`holdfast network up\``);
}

/** @throws UsageError if the directory has no network */
export function requireNetwork(folder: string): NetworkFile {
  const network = readNetwork(folder);
  if (network === undefined)
    throw new UsageError(
      `${folder} has no network: name the network's directory with --dir, or create a network with \`network up\``,
    );
  return network;
}

/**
 * Parses `node-2` or `2`.
 * @throws UsageError
 */
export function nodeNumber(text: string, { nodes }: NetworkFile): number {
  const number = Number(/^(?:node-)?(\d{1,3})$/.exec(text)?.[1]);
  if (number >= 1 && number <= nodes.length) return number;
  throw new UsageError(`There is no node '${text}': the network has node-1 to node-${nodes.length}`);
}
