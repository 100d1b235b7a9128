/** Page of the forgers: shares of blocks and stake, the next block, and recent block times. */

import type { JSX } from "preact";
import { durationText } from "../../bytes/durations.ts";
import type { Answer } from "../../client/index.ts";
import { type Attempt, attempt } from "../data/attempt.ts";
import { blockLink } from "../links.ts";
import type { PageContext, PageDefinition } from "../page.ts";
import { Amount } from "../parts/amount.tsx";
import { Attempted } from "../parts/attempted.tsx";
import { Plot } from "../parts/charts/plot.tsx";
import { Address } from "../parts/id.tsx";
import { Panel } from "../parts/panel.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { now } from "../parts/time/now.ts";
import { Age, Due as DueAt } from "../parts/time/time.tsx";
import { ageText, countText, numberText, percentText } from "../text/measures.ts";
import { ForgersRing } from "./overview/forgers-ring.tsx";

type Due = Answer<"GET /generators/due">;
type Forger = Due["generators"][number];
type Header = Answer<"GET /blocks/headers/last">;

export interface ForgersData {
  readonly due: Attempt<Due>;
  /** Newest first. */
  readonly headers: readonly Header[];
}

/** A node returns up to 100 headers per request. */
const PLOTTED_BLOCKS = 100;
const LISTED_BLOCKS = 30;
const MAX_FORGERS = 100;
const MAX_NEXT_FORGERS = 3;

async function load({ node }: PageContext): Promise<ForgersData> {
  const { client } = node;
  const { height } = await client.call("GET /blocks/headers/last");
  const from = Math.max(1, height - PLOTTED_BLOCKS + 1);
  const [due, headers] = await Promise.all([
    attempt(node, client.call("GET /generators/due", { query: { limit: MAX_FORGERS } })),
    client.call("GET /blocks/headers/seq/:from/:to", { params: { from, to: height } }),
  ]);
  return { due, headers: headers.toReversed() };
}

function DueTime({ due }: { readonly due: bigint | null }): JSX.Element {
  return due === null ? <span class="quiet">may make none</span> : <DueAt at={due} />;
}

function NextBlocks({ due }: { readonly due: Due }): JSX.Element {
  const next = due.generators.filter((one) => one.due !== null).slice(0, MAX_NEXT_FORGERS);
  if (next.length === 0)
    return <p>None of those who forged of late may make the next block: whoever has a stake may.</p>;
  return (
    <>
      <p>Block {numberText(due.height + 1)} may be made, of those who forged of late, by</p>
      <ol class="next">
        {next.map((one) => (
          <li key={one.generator}>
            <Address value={one.generator} bare /> <DueTime due={one.due} />
          </li>
        ))}
      </ol>
      <p class="quiet">
        Each is the earliest time of a block upon the newest one; whoever is first is followed by all.
      </p>
    </>
  );
}

/** Formats the share of blocks divided by the share of stake. It approaches 1 over many blocks. */
function luckText({ blockShare, stakeShare }: Forger): string {
  return stakeShare === 0 ? "–" : `${(blockShare / stakeShare).toFixed(2)}×`;
}

const columns: readonly Column<Forger>[] = [
  { head: "Forger", kind: "id", cell: ({ generator }) => <Address value={generator} /> },
  { head: "Blocks", kind: "number", cell: ({ blocks }) => numberText(blocks) },
  { head: "of all", kind: "number", cell: ({ blockShare }) => percentText(blockShare) },
  { head: "Stake", kind: "number", cell: ({ balance }) => <Amount value={balance} /> },
  { head: "of these", kind: "number", cell: ({ stakeShare }) => percentText(stakeShare) },
  { head: "Blocks for stake", kind: "number", cell: luckText },
  { head: "Next block", kind: "time", cell: ({ due }) => <DueTime due={due} /> },
];

function ForgerShares({ due }: { readonly due: Due }): JSX.Element {
  const { window, generators } = due;
  const sorted = [...generators].sort((a, b) => b.blocks - a.blocks);
  if (sorted.length === 0)
    return (
      <Panel title="The next block">
        <p>Nobody has forged a block yet: whoever has a stake may make the next one.</p>
      </Panel>
    );
  return (
    <>
      <div class="panels two">
        <Panel title={`Of the newest ${countText(window, "block")}`}>
          <ForgersRing caption="Forgers by blocks and by stake" forgers={sorted} />
        </Panel>
        <Panel title="The next block">
          <NextBlocks due={due} />
        </Panel>
      </div>
      <Panel title="Who forged, and with what">
        <Table
          caption={`Forgers of the newest ${countText(window, "block")}`}
          columns={columns}
          rows={sorted}
          keyOf={({ generator }) => generator}
        />
      </Panel>
    </>
  );
}

interface BlockInterval {
  readonly header: Header;
  /** Time since the parent, ms; undefined if unknown. */
  readonly delay: number | undefined;
}

/** Returns each block with the time since its parent. The oldest one only serves as a parent. */
export function blockIntervals(headers: readonly Header[]): BlockInterval[] {
  return headers.map((header, i) => {
    const before = headers[i + 1];
    // The time of the first block is arbitrary.
    const isMeasured = before !== undefined && before.height > 1;
    return { header, delay: isMeasured ? Number(header.timestamp - before.timestamp) : undefined };
  });
}

const blockColumns: readonly Column<BlockInterval>[] = [
  {
    head: "Block",
    kind: "number",
    cell: ({ header }) => <a href={blockLink(header.height)}>{numberText(header.height)}</a>,
  },
  { head: "Forger", kind: "id", cell: ({ header }) => <Address value={header.generator} bare /> },
  { head: "Age", kind: "time", cell: ({ header }) => <Age at={header.timestamp} /> },
  {
    head: "After",
    kind: "number",
    cell: ({ delay }) => (delay === undefined ? "–" : durationText(delay)),
  },
  {
    head: "Transactions",
    kind: "number",
    cell: ({ header }) => numberText(header.transactionCount),
  },
  {
    head: "Base target",
    kind: "number",
    cell: ({ header }) => numberText(header["nxt-consensus"]["base-target"]),
  },
];

function NewestBlocks({ headers }: { readonly headers: readonly Header[] }): JSX.Element {
  const made = blockIntervals(headers);
  const measured = made.filter(({ delay }) => delay !== undefined).reverse();
  const sum = measured.reduce((before, { delay = 0 }) => before + delay, 0);
  return (
    <Panel title={`The newest ${countText(headers.length, "block")}`} stacked>
      {measured.length > 1 && (
        <>
          <p>
            One followed the other after {durationText(sum / measured.length)} on average, after{" "}
            {durationText(Math.max(...measured.map(({ delay = 0 }) => delay)))} at most.
          </p>
          <Plot
            title="Time from block to block"
            times={measured.map(({ header }) => Number(header.timestamp))}
            series={[
              {
                label: "Time since the block before",
                values: measured.map(({ delay = 0 }) => delay / 1_000),
                shape: "line",
              },
            ]}
            format={(seconds) => durationText(1_000 * Number(seconds))}
            formatTime={(ms) => ageText(ms, now.peek())}
          />
        </>
      )}
      <Table
        caption="The newest blocks, and who made them"
        columns={blockColumns}
        rows={made.slice(0, LISTED_BLOCKS)}
        keyOf={({ header }) => header.signature}
      />
    </Panel>
  );
}

export const forgersPage: PageDefinition<ForgersData> = {
  path: "forgers",
  title: () => "Forgers",
  load: (_params, _query, context) => load(context),
  refresh: "tip",
  View: ({ data }) => (
    <>
      <h1>Forgers</h1>
      <Attempted of={data.due} draw={(due) => <ForgerShares due={due} />} />
      <NewestBlocks headers={data.headers} />
    </>
  ),
};
