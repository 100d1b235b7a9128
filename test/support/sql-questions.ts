/** The worked questions of docs/sql.md. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { encodeHex } from "../../src/bytes/hex.ts";
import { VIEWS_HEADING } from "./view-reference.ts";

export const sqlPage = join(import.meta.dirname, "../../docs/sql.md");
const text = readFileSync(sqlPage, "utf8");

/** The part of the page before the list of views. */
export const sqlPageHead = text.slice(0, text.indexOf(VIEWS_HEADING));

/** Statements by question. */
export const questions: ReadonlyMap<string, readonly string[]> = new Map(
  sqlPageHead
    .split("\n### ")
    .slice(1)
    .map((part) => [
      part.slice(0, part.indexOf("\n")),
      Array.from(part.matchAll(/```sql\n([^`]+)```/g), ([, statement]) => statement),
    ]),
);

export type SqlVariable = string | number | Uint8Array;

const literal = (value: SqlVariable): string =>
  value instanceof Uint8Array ? `'\\x${encodeHex(value)}'` : `'${value}'`;

/** Inserts the values of variables, as `psql` does. @throws if a value is missing */
export function withVariables(statement: string, variables: Readonly<Record<string, SqlVariable>>): string {
  return statement.replace(/(?<!:):'?(\w+)'?/g, (_, name: string) => {
    const value = variables[name];
    if (value === undefined) throw new Error(`no value for ${name}`);
    return typeof value === "number" ? String(value) : literal(value);
  });
}
