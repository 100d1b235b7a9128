/**
 * Writes `shapes.ts` and its compiled form: `node write-shapes.js SOURCE COMPILED`. The build runs this file after it
 * has compiled the routes, from which the shapes derive.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { routes } from "../../api/routes/all.ts";
import { shapesSource } from "./shapes-source.ts";

/** The type annotation of a declaration. */
const TYPE = /: (?:Shape|Readonly<Record<string, Shape>>) =/g;

const [, , source, compiled] = process.argv;
const text = shapesSource(routes);
// An unchanged file is not written, so that file watchers see no change.
if (!existsSync(source) || readFileSync(source, "utf8") !== text) writeFileSync(source, text);
writeFileSync(compiled, text.replace(/^import type .*\n/m, "").replace(TYPE, " ="));
