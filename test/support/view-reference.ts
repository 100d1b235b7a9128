/** The reference of all views, from their descriptions and the catalogue of a database. */
import type { SqlConnection } from "../../src/postgres/connection/sql-connection.ts";
import { allFunctions, allViews } from "../../src/postgres/schema/views.ts";

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll(/[<>]/g, "\\$&");

export const VIEWS_HEADING = "## Views\n";

export async function viewReference(sql: SqlConnection): Promise<string> {
  const { rows } = await sql.query<{ name: string; types: Record<string, string> }>(
    `select c.relname::text as name, jsonb_object_agg(a.attname, format_type(a.atttypid, a.atttypmod)) as types
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
     where c.relnamespace = 'holdfast'::regnamespace and c.relkind = 'v' group by 1`,
  );
  const types = new Map(rows.map(({ name, types: found }) => [name, found]));
  const views = allViews.map(({ name, comment, columns }) => {
    const lines = Object.entries(columns).map(
      ([column, text]) => `| \`${column}\` | \`${types.get(name)?.[column]}\` | ${cell(text)} |`,
    );
    return `### ${name}\n\n${comment}\n\n| Column | Type | |\n| --- | --- | --- |\n${lines.join("\n")}\n`;
  });
  const functions = allFunctions.map(
    ({ name, parameters, comment }) => `| \`${name}(${parameters})\` | ${cell(comment)} |`,
  );
  return `${VIEWS_HEADING}
A test compares this list with the catalogue of a database. \`psql\` shows the same: \`\\d+ holdfast.*\`.

${views.join("\n")}
### Functions

| Function | |
| --- | --- |
${functions.join("\n")}
`;
}
