/** SQL functions with the owner's rights, because the writer role may not create tables and indexes. */
import { allTables } from "./all-tables.ts";
import { lateIndexes, PARTITION_BLOCKS, quoteText, TABLES_SCHEMA } from "./statements.ts";

const partitioned = allTables.filter((table) => table.isPartitioned === true).map(({ name }) => name);

const ownerFunction = (signature: string, result: string, body: string): string =>
  `create or replace function ${TABLES_SCHEMA}.${signature} returns ${result}
language plpgsql security definer set search_path = pg_catalog, pg_temp as $body$
${body}
$body$`;

const list = (names: readonly string[]): string => names.map(quoteText).join(", ");

/** Creates missing partitions for the blocks from 0 to `to_height`, and returns how many it created. */
const ensurePartitions = ownerFunction(
  "ensure_partitions(to_height integer)",
  "integer",
  `declare
  parent text;
  part text;
  number integer;
  created integer := 0;
begin
  foreach parent in array array[${list(partitioned)}] loop
    -- There are no gaps, so the search ends at the highest partition that exists.
    for number in reverse (to_height / ${PARTITION_BLOCKS}) .. 0 loop
      part := format('%s_%s', parent, lpad((number::bigint * ${PARTITION_BLOCKS})::text, 10, '0'));
      exit when to_regclass(format('${TABLES_SCHEMA}.%I', part)) is not null;
      execute format(
        'create table ${TABLES_SCHEMA}.%I partition of ${TABLES_SCHEMA}.%I for values from (%s) to (%s)',
        part, parent,
        case when number = 0 then 'minvalue' else (number::bigint * ${PARTITION_BLOCKS})::text end,
        case when (number::bigint + 1) * ${PARTITION_BLOCKS} > 2147483647 then 'maxvalue'
          else ((number::bigint + 1) * ${PARTITION_BLOCKS})::text end);
      created := created + 1;
    end loop;
  end loop;
  return created;
end`,
);

/** Creates a late index; returns false if it exists. Replaces an invalid index, which an aborted creation left. */
const createLateIndex = ownerFunction(
  "create_late_index(index_name text)",
  "boolean",
  `declare
  command text;
begin
  select statement into command from ${TABLES_SCHEMA}.late_index where name = index_name;
  if command is null then
    raise exception 'no late index is named %', index_name;
  end if;
  if to_regclass(format('${TABLES_SCHEMA}.%I', index_name)) is not null then
    if (select indisvalid from pg_index where indexrelid = to_regclass(format('${TABLES_SCHEMA}.%I', index_name))) then
      return false;
    end if;
    execute format('drop index ${TABLES_SCHEMA}.%I', index_name);
  end if;
  execute command;
  return true;
end`,
);

/** Drops all late indexes, for a first fill. */
const dropLateIndexes = ownerFunction(
  "drop_late_indexes()",
  "void",
  `declare
  one text;
begin
  for one in select name from ${TABLES_SCHEMA}.late_index loop
    execute format('drop index if exists ${TABLES_SCHEMA}.%I', one);
  end loop;
end`,
);

export const analyzeTable = ownerFunction(
  "analyze_table(table_name text)",
  "void",
  `begin
  if table_name <> all (array[${list(allTables.map(({ name }) => name))}]) then
    raise exception 'no table is named %', table_name;
  end if;
  execute format('analyze ${TABLES_SCHEMA}.%I', table_name);
end`,
);

export const writerFunctions: readonly string[] = [
  "ensure_partitions(integer)",
  "create_late_index(text)",
  "drop_late_indexes()",
  "analyze_table(text)",
];

/** Returns statements that create the functions, and the table of late indexes that the functions read. */
export function createFunctions(): string[] {
  return [
    ensurePartitions,
    createLateIndex,
    dropLateIndexes,
    analyzeTable,
    `create table ${TABLES_SCHEMA}.late_index (name text primary key, table_name text not null, statement text not null)`,
    `comment on table ${TABLES_SCHEMA}.late_index is 'Indexes that a first fill creates after the rows.'`,
    `comment on column ${TABLES_SCHEMA}.late_index.name is 'Name of the index'`,
    `comment on column ${TABLES_SCHEMA}.late_index.table_name is 'Name of its table'`,
    `comment on column ${TABLES_SCHEMA}.late_index.statement is 'Statement that creates it'`,
    ...lateIndexes.map(
      ({ name, table, statement }) =>
        `insert into ${TABLES_SCHEMA}.late_index values (${quoteText(name)}, ${quoteText(table)}, ${quoteText(statement)})`,
    ),
    `select ${TABLES_SCHEMA}.ensure_partitions(0)`,
  ];
}
