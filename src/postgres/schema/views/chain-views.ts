/** Position, blocks, and sums by day. */
import { BLOCK_TIME, DAY, FINAL, HEIGHT, IN_UNITS, isFinal, joinAccount, T, type View } from "./view.ts";

const DAY_COMMENT = "Day of the blocks, UTC";
const DAY_FINAL = "True if all blocks of the row are persisted, and the day has ended on the chain";

/** The newest persisted block's day may get more blocks. */
const isDayFinal = `${DAY} < (select (p.time at time zone 'UTC')::date from ${T}.chain c
    join ${T}.block p on p.height = c.persisted_height) as final`;

export const chainViews: readonly View[] = [
  {
    name: "contract",
    comment: "One row: version of these views.",
    columns: {
      version: "MAJOR.MINOR: within a major version no view loses or retypes a column",
      format: "Format of the tables",
      migrated_at: "Time of the newest migration",
    },
    query: `select f.views as version, f.format, f.migrated_at from ${T}.format f`,
  },
  {
    name: "tip",
    comment:
      "One row: the newest unit of the chain in this database. A key block or micro block after it changes this row.",
    columns: {
      network: "Name of the network",
      height: HEIGHT,
      sequence: "Place of the unit in its block: 0 key block, 1 and above micro blocks, 65535 persist unit",
      id: "Id of the block up to this unit",
      time: BLOCK_TIME,
      persisted_height: "Height of the newest persisted block: rows up to it are final",
      score: "Sum of 2^64 / base target of all blocks",
      state: "filling (rows are missing), indexing (queries are slow), or live",
      changed_at: "Time of the last change, by the clock of the database",
      final: FINAL,
    },
    query: `select c.network, c.height, c.sequence, c.id, b.time, c.persisted_height, c.score, c.state, c.changed_at,
  c.height <= c.persisted_height as final
from ${T}.chain c left join ${T}.block b on b.height = c.height`,
  },
  {
    name: "blocks",
    comment: "Blocks, with their micro blocks.",
    columns: {
      height: HEIGHT,
      id: "Id up to the newest micro block",
      time: BLOCK_TIME,
      time_ms: "Time of the block, ms since 1970",
      generator: "Address of the account that forged it",
      version: "Version of the layout",
      reference: "Id of the parent",
      base_target: "Difficulty: a lower number is harder",
      generation_signature: "Generation signature",
      features: "Features for which it votes",
      fee_vote: "Vote on the fee price",
      size: "Bytes",
      transaction_count: "Number of transactions",
      fees: `Fees of its transactions, ${IN_UNITS}`,
      burned: `The part of its fees that was burned, ${IN_UNITS}`,
      reward: `New tokens for its generator, ${IN_UNITS}`,
      generator_reward: `What its generator received, ${IN_UNITS}`,
      score: "2^64 / base target",
      final: FINAL,
    },
    query: `select b.height, b.id, b.time, b.time_ms, g.text as generator, b.version, b.reference, b.base_target,
  b.generation_signature, b.features, b.fee_vote, b.size, b.transaction_count, b.fees, b.burned, b.reward,
  b.generator_reward, b.score, ${isFinal("b.height")}
from ${T}.block b ${joinAccount("g", "b.generator")}`,
  },
  {
    name: "reorganisations",
    comment: "Changes of the last days that undid units. Rows never change, but old ones are deleted.",
    columns: {
      reverted_at: "Time of the change, by the clock of the database",
      from_height: "Lowest height of an undone unit",
      to_height: "Highest height of an undone unit",
      key_blocks: "Number of undone key blocks; 0 if only micro blocks were undone",
      micro_blocks: "Number of undone micro blocks",
      bytes: "Protocol bytes of the undone units",
      final: "True",
    },
    query: `select r.reverted_at, min(r.height) as from_height, max(r.height) as to_height,
  count(*) filter (where r.sequence = 0) as key_blocks,
  count(*) filter (where r.sequence between 1 and 65534) as micro_blocks, sum(length(r.bytes)) as bytes, true as final
from ${T}.reverted_unit r group by r.reverted_at`,
  },
  {
    name: "forgers",
    comment: "Accounts that forged blocks.",
    columns: {
      generator: "Address",
      blocks: "Number of blocks",
      first_height: "Height of its first block",
      last_height: "Height of its newest block",
      generator_reward: `What it received, ${IN_UNITS}`,
      effective_balance: `Balance with leases, at the tip, ${IN_UNITS}`,
      final: "True if its newest block is persisted",
    },
    query: `select g.text as generator, f.blocks, f.first_height, f.last_height, f.generator_reward,
  s.balance::numeric + s.lease_in - s.lease_out as effective_balance, ${isFinal("f.last_height")}
from (select generator, count(*) as blocks, min(height) as first_height, max(height) as last_height,
    sum(generator_reward) as generator_reward from ${T}.block group by generator) f
${joinAccount("g", "f.generator")} left join ${T}.account_state s on s.account = f.generator`,
  },
  {
    name: "forged_by_day",
    comment: "Blocks of each generator, by day.",
    columns: {
      day: DAY_COMMENT,
      generator: "Address",
      blocks: "Number of blocks",
      generator_reward: `What it received, ${IN_UNITS}`,
      fees: `Fees of the transactions in its blocks, ${IN_UNITS}`,
      final: DAY_FINAL,
    },
    query: `select d.day, g.text as generator, d.blocks, d.generator_reward, d.fees, d.final
from (select ${DAY} as day, b.generator, count(*) as blocks, sum(b.generator_reward) as generator_reward,
    sum(b.fees) as fees, ${isDayFinal} from ${T}.block b group by 1, 2) d
${joinAccount("g", "d.generator")}`,
  },
  {
    name: "fees_by_day",
    comment: "Transactions and fees of all blocks, by day.",
    columns: {
      day: DAY_COMMENT,
      blocks: "Number of blocks",
      transactions: "Number of transactions",
      fees: `Fees, ${IN_UNITS}`,
      burned: `The part of the fees that was burned, ${IN_UNITS}`,
      final: DAY_FINAL,
    },
    query: `select ${DAY} as day, count(*) as blocks, sum(b.transaction_count) as transactions, sum(b.fees) as fees,
  sum(b.burned) as burned, ${isDayFinal} from ${T}.block b group by 1`,
  },
  {
    name: "supply_by_day",
    comment: "Tokens that exist at the end of each day. A day without blocks has no row.",
    columns: {
      day: DAY_COMMENT,
      created: `Tokens of the genesis block and rewards of the day, ${IN_UNITS}`,
      burned: `Tokens that fees and burn transactions destroyed on the day, ${IN_UNITS}`,
      supply: `Tokens at the end of the day, ${IN_UNITS}`,
      final: DAY_FINAL,
    },
    query: `select d.day, d.created, d.burned, sum(d.created - d.burned) over (order by d.day) as supply, d.final
from (select ${DAY} as day, sum(b.reward + coalesce(i.amount, 0)) as created,
    sum(b.burned + coalesce(d.amount, 0)) as burned, ${isDayFinal}
  from ${T}.block b
  left join (select height, sum(amount) as amount from ${T}.burn group by height) d on d.height = b.height
  left join (select height, sum(amount) as amount from ${T}.transfer where height = 1 and sender is null group by height) i
    on i.height = b.height
  group by 1) d`,
  },
];
