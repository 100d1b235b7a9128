import Type, { type Static } from "typebox";
import { type JsonOut, printJson } from "../../bytes/json.ts";
import { InvalidValueError } from "../../config/kinds/kinds.ts";
import { logLevels as levelsKind } from "../../config/kinds/log-level-kind.ts";
import { dev } from "../../profiles/index.ts";
import { UsageError } from "../exit-codes.ts";
import type { Io } from "../io.ts";
import { connectNode, type NodeFlags } from "./node-connection.ts";
import { columns, plainText } from "./plain-text.ts";

const PATH = "/node/log-level";
const Levels = Type.Object({
  level: Type.String(),
  areas: Type.Record(Type.String(), Type.String()),
});

/** Request bodies, the level of the node first. */
function changesOf(text: string): JsonOut[] {
  try {
    const { level, areas } = levelsKind.read(text, dev);
    const ofAreas = Object.entries(areas).map(([area, areaLevel]) => ({ area, level: areaLevel }));
    // If the text has no node level, `read` returns a default: do not send it.
    return text.trimStart().split(",", 1)[0].includes("=") ? ofAreas : [{ level }, ...ofAreas];
  } catch (error) {
    if (error instanceof InvalidValueError) throw new UsageError(`LEVELS: ${error.message}`);
    throw error;
  }
}

function levelsText({ level, areas }: Static<typeof Levels>): string {
  const rows = Object.entries(areas).map(([area, areaLevel]) => [plainText(area), plainText(areaLevel)]);
  const others = rows.length === 0 ? "all areas" : "other areas";
  return columns([["AREA", "LEVEL"], ...rows, [others, plainText(level)]]);
}

/**
 * Changes levels if there is a text, and returns all levels.
 * @throws UsageError before a request; CommandError
 */
export async function changeLogLevels(
  text: string | undefined,
  flags: NodeFlags & { readonly json?: boolean },
  io: Io,
): Promise<string> {
  const changes = text === undefined ? [] : changesOf(text);
  const node = await connectNode(flags, io);
  let levels: Static<typeof Levels> | undefined;
  for (const body of changes) levels = await node.call(PATH, Levels, { method: "PUT", body, sendsKey: true });
  levels ??= await node.call(PATH, Levels, { sendsKey: true });
  return flags.json === true ? `${printJson(levels as JsonOut)}\n` : levelsText(levels);
}
