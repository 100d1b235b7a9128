/** A block: its header, what it paid, its transactions, and where it stands. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import type { Answer } from "../../client/index.ts";
import { FailedRequestError } from "../../client/index.ts";
import { featureDescription } from "../../profiles/index.ts";
import { blockBytesOf, type ShownBlockBytes } from "../describe/block-bytes.ts";
import { type ShownTransaction, typeNameOf } from "../describe/members.ts";
import { certaintyOf, deedOf } from "../describe/sentence.ts";
import { blockLink } from "../links.ts";
import { type PageContext, type PageDefinition, PageProblem } from "../page.ts";
import { Amount } from "../parts/amount.tsx";
import { Hex } from "../parts/hex.tsx";
import { Address, BlockId, Id, TransactionId } from "../parts/id.tsx";
import { Json } from "../parts/json.tsx";
import { Notice } from "../parts/notice.tsx";
import { Sentence } from "../parts/sentence.tsx";
import { type Column, Facts, Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { byteCount } from "../parts/value.tsx";

type Block = Answer<"GET /blocks/signature/:signature">;
type Header = Answer<"GET /blocks/headers/at/:height">;
type RevertedAnswer = Answer<"GET /blocks/reverted/:signature">;

/** A block that is on the chain, or was until a moment ago. */
export type BlockData =
  | {
      readonly kind: "on the chain";
      readonly block: Block;
      /** What is at its height now: the same, or the same with more transactions. */
      readonly current: string;
      /** The one before it, but for the first. */
      readonly before: Header | undefined;
      readonly tip: number;
    }
  | { readonly kind: "reverted"; readonly id: string; readonly was: RevertedAnswer };

function isMissing(error: unknown): boolean {
  return error instanceof FailedRequestError && error.status === 404;
}

/** What is seen as missing is undefined. */
async function orMissing<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** The block that was shown last: it is asked for again only where it has become another one. */
let shownLast: { readonly url: string; readonly block: Block } | undefined;

async function blockOf(id: string, { node }: PageContext): Promise<Block | undefined> {
  const { url, client } = node;
  if (shownLast?.url === url && shownLast.block.signature === id) return shownLast.block;
  const block = await orMissing(
    client.call("GET /blocks/signature/:signature", { params: { signature: id } }),
  );
  if (block !== undefined) shownLast = { url, block };
  return block;
}

const noBlock = (advice: string): PageProblem =>
  new PageProblem("unknown", "The node's chain has no such block.", advice);

async function atHeight(height: number, context: PageContext): Promise<Header> {
  const { client } = context.node;
  const header = await orMissing(client.call("GET /blocks/headers/at/:height", { params: { height } }));
  if (header !== undefined) return header;
  const { height: tip } = await client.call("GET /blocks/height");
  throw noBlock(
    height > tip
      ? `The chain has ${tip.toLocaleString("en")} blocks so far. If the node still catches up, wait for it.`
      : "The first block has the height 1.",
  );
}

async function load(id: string, context: PageContext): Promise<BlockData> {
  const { client } = context.node;
  const isHeight = /^\d{1,9}$/.test(id);
  if (!isHeight && !/^[1-9A-HJ-NP-Za-km-z]{64,88}$/.test(id))
    throw new PageProblem(
      "malformed",
      "That is neither a height nor the id of a block.",
      "A height is a number from 1 on; an id has some 88 letters and digits, without 0, O, I and l.",
    );
  const found = isHeight
    ? undefined
    : await orMissing(client.call("GET /blocks/height/:signature", { params: { signature: id } }));
  if (!isHeight && found === undefined) {
    const was = await orMissing(
      client.call("GET /blocks/reverted/:signature", { params: { signature: id } }),
    );
    if (was !== undefined) return { kind: "reverted", id, was };
    throw noBlock("It may be of another network, or have left the chain long ago.");
  }
  const header = await atHeight(found?.height ?? Number(id), context);
  const block = await blockOf(isHeight ? header.signature : id, context);
  if (block === undefined) throw noBlock("It has just left the chain. Load the page again.");
  const before =
    block.height === 1
      ? undefined
      : await orMissing(
          client.call("GET /blocks/headers/at/:height", { params: { height: block.height - 1 } }),
        );
  const { height: tip } = await client.call("GET /blocks/height");
  return { kind: "on the chain", block, current: header.signature, before, tip };
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

/** How long after the one before it, in seconds. */
function delayOf(block: Header, before: Header | undefined): string {
  if (before === undefined || before.height === 1) return "";
  const seconds = Number(block.timestamp - before.timestamp) / 1_000;
  return `, ${seconds.toLocaleString("en", { maximumFractionDigits: 1 })} s after the one before it`;
}

function HeaderFacts({ block, before }: { readonly block: Header; readonly before: Header | undefined }) {
  const consensus = block["nxt-consensus"];
  return (
    <Facts
      rows={[
        ["Id", <BlockId value={block.signature} />],
        [
          "Time",
          <>
            <Time at={block.timestamp} />
            {delayOf(block, before)}
          </>,
        ],
        ["Generator", <Address value={block.generator} />],
        ["Block before", block.height === 1 ? "none" : <BlockId value={block.reference} />],
        ["Transactions", block.transactionCount.toLocaleString("en")],
        ["Size", byteCount(block.blocksize)],
        ["Version", block.version],
        ["Base target", String(consensus["base-target"])],
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
    <section class="panel">
      <h2>Micro blocks</h2>
      <Table
        caption="Micro blocks"
        columns={microBlockColumns}
        rows={strip.microBlocks.map((micro, i) => ({ ...micro, number: i + 1 }))}
        keyOf={({ id }) => id}
      />
    </section>
  );
}

/** Transactions that are shown at first, and that are added in one go when all are wanted: a browser has to draw them. */
const CHUNK = 100;

const feeOf = ({ effectiveFee, fee }: ShownTransaction): bigint =>
  typeof effectiveFee === "bigint" ? effectiveFee : fee;

interface ChunkProps {
  readonly list: readonly ShownTransaction[];
  readonly from: number;
}

/** Some of the transactions, drawn once: as long as the block is the same one, nothing of them is looked at again. */
function Chunk({ list, from }: ChunkProps): JSX.Element {
  return useMemo(
    () => (
      <tbody>
        {list.slice(from, from + CHUNK).map((one, i) => (
          <tr key={one.id}>
            <td class="number">{(from + i).toLocaleString("en")}</td>
            <td>{typeNameOf(one)}</td>
            <td>
              <Sentence parts={deedOf(one)} />
            </td>
            <td class="number">
              <Amount value={feeOf(one)} />
            </td>
            <td class="id">
              <TransactionId value={one.id} bare />
            </td>
          </tr>
        ))}
      </tbody>
    ),
    [list, from],
  );
}

function Transactions({ list }: { readonly list: readonly ShownTransaction[] }): JSX.Element {
  const isAll = useSignal(false);
  const count = useSignal(CHUNK);
  const isLeft = count.value < list.length;
  useEffect(() => {
    if (!isAll.value || !isLeft) return undefined;
    const timer = setTimeout(() => (count.value += CHUNK), 0);
    return () => clearTimeout(timer);
  }, [isAll.value, count.value, isLeft]);
  const chunks = Array.from({ length: Math.ceil(Math.min(count.value, list.length) / CHUNK) }, (_, i) => i);
  return (
    <section class="panel">
      <h2>
        Transactions <span class="count">{list.length.toLocaleString("en")}</span>
      </h2>
      {list.length === 0 ? (
        <p class="quiet">There are none in it.</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what is scrolled must be reached by keyboard
        <section class="scrolled" tabIndex={0} aria-label="Transactions of the block">
          <table class="in-block">
            <caption class="unseen">Transactions of the block</caption>
            <thead>
              <tr>
                <th scope="col" class="number">
                  Place
                </th>
                <th scope="col">Type</th>
                <th scope="col">What it did</th>
                <th scope="col" class="number">
                  Fee
                </th>
                <th scope="col" class="id">
                  Id
                </th>
              </tr>
            </thead>
            {chunks.map((i) => (
              <Chunk key={i} list={list} from={CHUNK * i} />
            ))}
          </table>
        </section>
      )}
      {isLeft && (
        <p>
          <button type="button" disabled={isAll.value} onClick={() => (isAll.value = true)}>
            Show all {list.length.toLocaleString("en")}
          </button>
        </p>
      )}
    </section>
  );
}

type Fetched =
  | "not asked"
  | "asked"
  | "failed"
  | { readonly bytes: Uint8Array; readonly is: ShownBlockBytes };

function Bytes({ block, context }: { readonly block: Block; readonly context: PageContext }): JSX.Element {
  const fetched = useSignal<Fetched>("not asked");
  const active = useSignal<string | undefined>(undefined);
  const ask = async (): Promise<void> => {
    fetched.value = "asked";
    try {
      const params = { signature: block.signature };
      const bytes = await context.node.client.call("GET /blocks/bytes/:signature", { params });
      fetched.value = { bytes, is: blockBytesOf(bytes) };
    } catch (error) {
      // Whatever it is, one can try again.
      console.warn(error);
      fetched.value = "failed";
    }
  };
  const now = fetched.value;
  if (typeof now === "string")
    return (
      <p>
        <button type="button" disabled={now === "asked"} onClick={ask}>
          {now === "asked" ? "Fetching …" : `Show ${byteCount(block.blocksize)}`}
        </button>{" "}
        {now === "failed" && "The node did not give them; an older state of the newest block has none."}
      </p>
    );
  if ("problem" in now.is) return <p>What the node gave cannot be shown: {now.is.problem}.</p>;
  const { fields, id, isSigned } = now.is;
  const isRight = isSigned && id === block.signature;
  return (
    <>
      <Notice kind={isRight ? "right" : "wrong"}>
        <p>
          {isRight
            ? "Checked here: the signature is that of the generator over all bytes before it, and is the id. Nothing of the block was changed."
            : "Checked here: the signature is not that of the generator over these bytes, or not the id."}
        </p>
      </Notice>
      <Hex bytes={now.bytes} fields={fields} active={active} />
    </>
  );
}

function Standing(props: Extract<BlockData, { kind: "on the chain" }> & { readonly context: PageContext }) {
  const { block, current, tip, context } = props;
  const height = Math.max(tip, context.live.tip.value?.height ?? 0);
  if (current !== block.signature)
    return (
      <Notice kind="unsettled">
        <p>
          This is the block as it was before transactions were added.{" "}
          <a href={blockLink(block.height)}>The block as it is now</a>
        </p>
      </Notice>
    );
  const certainty = certaintyOf(block.height, height);
  const upon = height - block.height;
  if (certainty === "liquid")
    return (
      <Notice kind="unsettled">
        <p>
          <b>The newest block</b>: transactions are still added to it, and another one may take its place.
        </p>
      </Notice>
    );
  return (
    <Notice kind={certainty === "final" ? "right" : "unsettled"}>
      <p>
        {upon.toLocaleString("en")} {upon === 1 ? "block stands" : "blocks stand"} on it
        {certainty === "final" ? ": no fork can undo it." : "; forks can undo up to 100."}
      </p>
    </Notice>
  );
}

function Reverted({ id, was }: Extract<BlockData, { kind: "reverted" }>): JSX.Element {
  const { header, microBlock, keepsKeyBlock, replacedBy } = was;
  const { height } = header;
  return (
    <article class="block stack">
      <h1>
        {microBlock ? "Micro block" : "Block"} that left the chain{" "}
        <span class="quiet">at height {height.toLocaleString("en")}</span>
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
      <section class="panel">
        <h2>Header</h2>
        <HeaderFacts block={{ ...header, signature: id }} before={undefined} />
      </section>
    </article>
  );
}

function View({ data, context }: Parameters<typeof blockPage.View>[0]): JSX.Element {
  const isOpen = useSignal(false);
  if (data.kind === "reverted") return <Reverted {...data} />;
  const { block, before, tip } = data;
  const last = Math.max(tip, context.live.tip.value?.height ?? 0);
  const { height } = block;
  return (
    <article class="block">
      <h1>Block {height.toLocaleString("en")}</h1>
      <nav class="beside" aria-label="Blocks beside it">
        {height > 1 && (
          <a rel="prev" href={blockLink(height - 1)}>
            ← {(height - 1).toLocaleString("en")}
          </a>
        )}
        {height < last && (
          <a rel="next" href={blockLink(height + 1)}>
            {(height + 1).toLocaleString("en")} →
          </a>
        )}
      </nav>
      <Standing {...data} context={context} />
      <div class="panels two">
        <section class="panel">
          <h2>Header</h2>
          <HeaderFacts block={block} before={before} />
        </section>
        <section class="panel">
          <h2>Fees, rewards and votes</h2>
          <Payments block={block} />
        </section>
      </div>
      <Transactions list={block.transactions} />
      <MicroBlocks block={block} context={context} />
      <section class="panel stack">
        <h2>Bytes</h2>
        <Bytes key={block.signature} block={block} context={context} />
      </section>
      <details class="panel" onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
        <summary>
          <h2>JSON</h2>
        </summary>
        {isOpen.value && <Json value={block} />}
      </details>
    </article>
  );
}

export const blockPage: PageDefinition<BlockData> = {
  path: "block/:id",
  title: ({ id }, data) =>
    data?.kind === "on the chain" ? `Block ${data.block.height.toLocaleString("en")}` : `Block ${id}`,
  load: ({ id }, _query, context) => load(id, context),
  refresh: "new",
  View,
};
