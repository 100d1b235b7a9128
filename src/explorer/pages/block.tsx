/** Page of a block: status, header, fees and rewards, transactions and bytes. */

import type { JSX } from "preact";
import { MAX_FORK_DEPTH } from "../../client/anchor-verdict.ts";
import type { Answer } from "../../client/index.ts";
import { featureDescription } from "../../profiles/index.ts";
import { undefinedIfMissing } from "../data/attempt.ts";
import { finalityOf } from "../describe/sentence.ts";
import { blockLink } from "../links.ts";
import { type PageContext, type PageDefinition, PageProblem } from "../page.ts";
import { Amount } from "../parts/amount.tsx";
import { Address, BlockId, Id } from "../parts/id.tsx";
import { JsonPanel } from "../parts/json.tsx";
import { Note, Notice } from "../parts/notice.tsx";
import { Panel } from "../parts/panel.tsx";
import { type Column, Facts, Table } from "../parts/table.tsx";
import { Time } from "../parts/time/time.tsx";
import { byteCount, countText, numberText } from "../text/measures.ts";
import { Bytes } from "./block/bytes.tsx";
import { Transactions } from "./block/transactions.tsx";

type Block = Answer<"GET /blocks/signature/:signature">;
type Header = Answer<"GET /blocks/headers/at/:height">;
type RevertedAnswer = Answer<"GET /blocks/reverted/:signature">;

/** A block on the chain, or one that was reverted a short time ago. */
export type BlockData =
  | {
      readonly kind: "on the chain";
      readonly block: Block;
      /** Id of the block at this height now. It differs if the liquid block has grown. */
      readonly current: string;
      /** Header of the parent; undefined for the first block. */
      readonly parent: Header | undefined;
      readonly tip: number;
    }
  | { readonly kind: "reverted"; readonly id: string; readonly reverted: RevertedAnswer };

/** Cache of the last block shown, so that a refresh downloads it again only after a change. */
let lastShown: { readonly url: string; readonly block: Block } | undefined;

async function fetchBlock(id: string, { node }: PageContext): Promise<Block | undefined> {
  const { url, client } = node;
  if (lastShown?.url === url && lastShown.block.signature === id) return lastShown.block;
  const block = await undefinedIfMissing(
    client.call("GET /blocks/signature/:signature", { params: { signature: id } }),
  );
  if (block !== undefined) lastShown = { url, block };
  return block;
}

const unknownBlock = (advice: string): PageProblem =>
  new PageProblem("unknown", "The node's chain has no such block.", advice);

const headerAt = ({ node: { client } }: PageContext, height: number): Promise<Header | undefined> =>
  undefinedIfMissing(client.call("GET /blocks/headers/at/:height", { params: { height } }));

async function load(id: string, context: PageContext): Promise<BlockData> {
  const { client } = context.node;
  const isHeight = /^\d{1,9}$/.test(id);
  if (!isHeight && !/^[1-9A-HJ-NP-Za-km-z]{64,88}$/.test(id))
    throw new PageProblem(
      "malformed",
      "That is neither a height nor the id of a block.",
      "A height is a number from 1 on; an id has some 88 letters and digits, without 0, O, I and l.",
    );
  const params = { signature: id };
  const found = isHeight
    ? { height: Number(id) }
    : await undefinedIfMissing(client.call("GET /blocks/height/:signature", { params }));
  if (found === undefined) {
    const reverted = await undefinedIfMissing(client.call("GET /blocks/reverted/:signature", { params }));
    if (reverted !== undefined) return { kind: "reverted", id, reverted };
    throw unknownBlock("It may be of another network, or have left the chain long ago.");
  }
  const header = await headerAt(context, found.height);
  if (header === undefined) {
    const { height: tip } = await client.call("GET /blocks/height");
    throw unknownBlock(
      found.height > tip
        ? `The chain has ${countText(tip, "block")} so far. If the node still catches up, wait for it.`
        : "The first block has the height 1.",
    );
  }
  const block = await fetchBlock(isHeight ? header.signature : id, context);
  if (block === undefined) throw unknownBlock("It has just left the chain. Load the page again.");
  const parent = block.height === 1 ? undefined : await headerAt(context, block.height - 1);
  const { height: tip } = await client.call("GET /blocks/height");
  return { kind: "on the chain", block, current: header.signature, parent, tip };
}

const FEE_VOTES: Readonly<Record<string, string>> = {
  "-1": "lower fees",
  "0": "fees as they are",
  "1": "higher fees",
};

function featureVotes(features: readonly number[] | undefined): JSX.Element | string | undefined {
  if (features === undefined) return undefined;
  if (features.length === 0) return "none";
  return features.map((id) => `${id} (${featureDescription(id)})`).join(", ");
}

/** Formats the time since the parent, in seconds. */
function delayOf(block: Header, parent: Header | undefined): string {
  if (parent === undefined || parent.height === 1) return "";
  const seconds = Number(block.timestamp - parent.timestamp) / 1_000;
  return `, ${seconds.toLocaleString("en", { maximumFractionDigits: 1 })} s after the one before it`;
}

function HeaderFacts({ block, parent }: { readonly block: Header; readonly parent: Header | undefined }) {
  const consensus = block["nxt-consensus"];
  return (
    <Facts
      rows={[
        ["Id", <BlockId value={block.signature} />],
        [
          "Time",
          <>
            <Time at={block.timestamp} />
            {delayOf(block, parent)}
          </>,
        ],
        ["Generator", <Address value={block.generator} />],
        ["Block before", block.height === 1 ? "none" : <BlockId value={block.reference} />],
        ["Transactions", numberText(block.transactionCount)],
        ["Size", byteCount(block.blocksize)],
        ["Version", block.version],
        ["Base target", numberText(consensus["base-target"])],
        [
          "Generation signature",
          <Id value={consensus["generation-signature"]} what="generation signature" />,
        ],
      ]}
    />
  );
}

function Payments({ block }: { readonly block: Block }): JSX.Element {
  return (
    <Facts
      rows={[
        ["Fees of its transactions", <Amount value={block.fee} />],
        ["Of these, burned", <Amount value={block.burnedFees} />],
        ["Mining reward", <Amount value={block.miningReward} />],
        ["Generator gets", <Amount value={block.generatorReward} />],
        ["Votes for", FEE_VOTES[String(block.feeVote)] ?? block.feeVote],
        ["Votes for features", featureVotes(block.features)],
      ]}
    />
  );
}

interface MicroBlock {
  readonly number: number;
  readonly id: string;
  readonly transactionCount: number;
}

const microBlockColumns: readonly Column<MicroBlock>[] = [
  { head: "Number", kind: "number", cell: ({ number }) => number },
  { head: "Id", kind: "id", cell: ({ id }) => <BlockId value={id} /> },
  { head: "Transactions", kind: "number", cell: ({ transactionCount }) => transactionCount },
];

function MicroBlocks({ block, context }: { readonly block: Block; readonly context: PageContext }) {
  const strip = context.live.blocks.value.find(
    ({ height, reverted }) => height === block.height && reverted === undefined,
  );
  if (strip === undefined || strip.microBlocks.length === 0) return null;
  return (
    <Panel title="Micro blocks">
      <Table
        caption="Micro blocks"
        columns={microBlockColumns}
        rows={strip.microBlocks.map((micro, i) => ({ ...micro, number: i + 1 }))}
        keyOf={({ id }) => id}
      />
    </Panel>
  );
}

function BlockStatus(
  props: Extract<BlockData, { kind: "on the chain" }> & { readonly context: PageContext },
) {
  const { block, current, tip, context } = props;
  const height = Math.max(tip, context.live.tip.value?.height ?? 0);
  if (current !== block.signature)
    return (
      <Note kind="unsettled">
        This is the block as it was before transactions were added.{" "}
        <a href={blockLink(block.height)}>The block as it is now</a>
      </Note>
    );
  const certainty = finalityOf(block.height, height);
  const confirmations = height - block.height;
  if (certainty === "liquid")
    return (
      <Note kind="unsettled">
        <b>The newest block</b>: transactions are still added to it, and another one may take its place.
      </Note>
    );
  return (
    <Note kind={certainty === "final" ? "right" : "unsettled"}>
      {block.height === 1
        ? "It is the first block"
        : `${countText(confirmations, "block stands", "blocks stand")} on it`}
      {certainty === "final" ? ": no fork can undo it." : `; forks can undo up to ${MAX_FORK_DEPTH}.`}
    </Note>
  );
}

function RevertedBlock({ id, reverted }: Extract<BlockData, { kind: "reverted" }>): JSX.Element {
  const { header, microBlock, keepsKeyBlock, replacedBy } = reverted;
  const { height } = header;
  return (
    <article class="block stack">
      <h1>
        {microBlock ? "Micro block" : "Block"} that left the chain{" "}
        <span class="quiet">at height {numberText(height)}</span>
      </h1>
      <Notice kind="wrong">
        <p>
          <b>It is not on the chain any more.</b>{" "}
          {keepsKeyBlock
            ? "Its key block is; the transactions that were added to it here wait for another one, unless that has them."
            : "Its transactions wait for another block, unless that has them."}
        </p>
        <p>
          {replacedBy === null ? (
            "Nothing stands at its height now."
          ) : (
            <>
              In its place stands <BlockId value={replacedBy.signature} bare />.
            </>
          )}
        </p>
      </Notice>
      <Panel title="Header">
        <HeaderFacts block={{ ...header, signature: id }} parent={undefined} />
      </Panel>
    </article>
  );
}

function View({ data, context }: Parameters<typeof blockPage.View>[0]): JSX.Element {
  if (data.kind === "reverted") return <RevertedBlock {...data} />;
  const { block, parent, tip } = data;
  const last = Math.max(tip, context.live.tip.value?.height ?? 0);
  const { height } = block;
  return (
    <article class="block">
      <h1>Block {numberText(height)}</h1>
      <nav class="beside" aria-label="Blocks beside it">
        {height > 1 && (
          <a rel="prev" href={blockLink(height - 1)}>
            ← {numberText(height - 1)}
          </a>
        )}
        {height < last && (
          <a rel="next" href={blockLink(height + 1)}>
            {numberText(height + 1)} →
          </a>
        )}
      </nav>
      <BlockStatus {...data} context={context} />
      <div class="panels two">
        <Panel title="Header">
          <HeaderFacts block={block} parent={parent} />
        </Panel>
        <Panel title="Fees, rewards and votes">
          <Payments block={block} />
        </Panel>
      </div>
      <Transactions list={block.transactions} />
      <MicroBlocks block={block} context={context} />
      <Panel title="Bytes" stacked>
        <Bytes key={block.signature} block={block} context={context} />
      </Panel>
      <JsonPanel value={block} />
    </article>
  );
}

export const blockPage: PageDefinition<BlockData> = {
  path: "block/:id",
  title: ({ id }, data) =>
    data?.kind === "on the chain" ? `Block ${numberText(data.block.height)}` : `Block ${id}`,
  load: ({ id }, _query, context) => load(id, context),
  refresh: "new",
  View,
};
