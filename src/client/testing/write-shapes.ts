/**
 * Writes `shapes.ts` and what it compiles to: `node write-shapes.js SOURCE COMPILED`. The build calls it, since the
 * shapes follow from the routes, which are known once they are compiled.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { routes } from "../../api/routes/all.ts";
import { shapesSource } from "./shapes-source.ts";

/** The type of a declaration. */
const TYPE = /: (?:Shape|Readonly<Record<string, Shape>>) =/g;

const [, , source, compiled] = process.argv;
const text = shapesSource(routes);
// An unchanged file keeps its time, so that file watchers see no change.
if (!existsSync(source) || readFileSync(source, "utf8") !== text) writeFileSync(source, text);
writeFileSync(compiled, text.replace(/^import type .*\n/m, "").replace(TYPE, " ="));
