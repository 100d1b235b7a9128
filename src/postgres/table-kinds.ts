/** How each table is undone, verified and tested: derived from the tables' descriptions. */
import { allTables } from "./schema/all-tables.ts";
import type { Table } from "./schema/table.ts";

const facts = (place: "position" | "sequence" | "height"): readonly Table[] =>
  allTables.filter(({ kind }) => kind.kind === "fact" && kind.place === place);

/** Rows of transactions: undone by `height` and `position`. */
export const positionFacts: readonly Table[] = facts("position");
/** Rows of units: undone by `height` and `sequence`. */
export const sequenceFacts: readonly Table[] = facts("sequence");
/** Rows of blocks: undone by `height`, and written again if an earlier unit of the block remains. */
export const heightFacts: readonly Table[] = facts("height");
/** Tables with marks of later units, which are set to null. */
export const markedTables: readonly Table[] = allTables.filter(({ marks }) => marks !== undefined);
/** Undone by restoring the newest change of a key that remains. */
export const stateTables: readonly Table[] = allTables.filter(({ kind }) => kind.kind === "state");
/** Never undone. */
export const keptTables: readonly Table[] = allTables.filter(({ kind }) => kind.kind === "kept");
