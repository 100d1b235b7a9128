/** Functions that readers may call. They have the rights of the caller, and read views only. */
import { VIEWS_SCHEMA } from "../statements.ts";
import type { SqlFunction } from "./view.ts";

const V = VIEWS_SCHEMA;

/** Other functions use it, so it is created before them. */
export const tagFunction: SqlFunction = {
  name: "tag",
  parameters: "bytes bytea",
  comment:
    "First 8 bytes as a number; a shorter value is padded with zeros at its end. Indexes of ids and hashes contain it.",
  definition: `returns bigint language sql immutable strict parallel safe
return ('x' || rpad(encode(substring(bytes from 1 for 8), 'hex'), 16, '0'))::bit(64)::bigint`,
};

export const viewFunctions: readonly SqlFunction[] = [
  {
    name: "transaction_by_id",
    parameters: "wanted bytea",
    comment: "The transaction with an id, by an index.",
    definition: `returns setof ${V}.transactions language sql stable parallel safe
begin atomic
  select t.* from ${V}.transaction_places p join ${V}.transactions t on t.height = p.height and t.position = p.position
  where p.tag = ${V}.tag(wanted) and t.id = wanted;
end`,
  },
  {
    name: "anchors_of",
    parameters: "wanted bytea",
    comment: "Anchors of a hash, by an index.",
    definition: `returns setof ${V}.anchors language sql stable parallel safe
begin atomic
  select a.* from ${V}.anchors a where a.tag = ${V}.tag(wanted) and a.hash = wanted;
end`,
  },
  {
    name: "height_at",
    parameters: "moment timestamptz",
    comment: "Height of the newest block at a time; 0 before the first one.",
    definition: `returns integer language sql stable parallel safe
begin atomic
  select coalesce((select b.height from ${V}.blocks b where b.time <= moment order by b.time desc limit 1), 0);
end`,
  },
  {
    name: "balance_at",
    parameters: "at_height integer",
    comment:
      "Balances of all accounts after the block at a height. Reads the history of all accounts: for one account, read balance_history.",
    definition: `returns setof ${V}.balance_history language sql stable parallel safe
begin atomic
  select distinct on (h.address) h.* from ${V}.balance_history h where h.height <= at_height
  order by h.address, h.height desc, h.sequence desc;
end`,
  },
];
