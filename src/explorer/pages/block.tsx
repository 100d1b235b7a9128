import { useComputed, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { MAX_FORK_DEPTH } from "../../client/anchor-verdict.ts";
import type { Answer } from "../../client/index.ts";
import { featureDescription } from "../../profiles/features.ts";
import { undefinedIfMissing, useQuery } from "../data/use-query.ts";
import { finalityOf } from "../describe/sentence.ts";
import { blockLink } from "../links.ts";
import { type Attempt, type PageContext, type PageDefinition, PageProblem, type PageProps } from "../page.ts";
import { Address, Amount, BlockId, Id, Time } from "../parts/inline.tsx";
import { JsonPanel } from "../parts/json.tsx";
import { type Column, FieldList, Table } from "../parts/lists/table.tsx";
import { Note, Notice, PageContent, Panel } from "../parts/panel.tsx";
import { commonTexts } from "../text/common-texts.ts";
import { byteCount, fill, numberText } from "../text/text.ts";
import { Bytes } from "./block/bytes.tsx";
import { blockTexts as texts } from "./block/texts.ts";
import { Transactions } from "./block/transactions.tsx";

type Block = Answer<"GET /blocks/signature/:signature">;
type Header = Answer<"GET /blocks/headers/at/:height">;
type RevertedAnswer = Answer<"GET /blocks/reverted/:signature">;

const HEIGHT = /^\d{1,9}$/;

export type BlockData =
  | {
      readonly kind: "on the chain";
      readonly block: Block;
      /** Id of the block now at this height. Differs from the id of `block` if the liquid block has grown. */
      readonly currentId: string;
      readonly parent: Header | undefined;
      readonly tipHeight: number;
    }
  | { readonly kind: "reverted"; readonly id: string; readonly reverted: RevertedAnswer };

const fetchBlock = (id: string, { node: { client } }: PageContext): Promise<Block | undefined> =>
  undefinedIfMissing(client.call("GET /blocks/signature/:signature", { params: { signature: id } }));

const unknownBlock = (advice: string): PageProblem => new PageProblem("unknown", texts.unknown, advice);

const fetchHeader = ({ node: { client } }: PageContext, height: number): Promise<Header | undefined> =>
  undefinedIfMissing(client.call("GET /blocks/headers/at/:height", { params: { height } }));

async function load(id: string, context: PageContext): Promise<BlockData> {
  const { client } = context.node;
  const isHeight = HEIGHT.test(id);
  if (!isHeight && !/^[1-9A-HJ-NP-Za-km-z]{64,88}$/.test(id))
    throw new PageProblem("malformed", texts.malformed, texts.malformedAdvice);
  const params = { signature: id };
  const found = isHeight
    ? { height: Number(id) }
    : await undefinedIfMissing(client.call("GET /blocks/height/:signature", { params }));
  if (found === undefined) {
    const reverted = await undefinedIfMissing(client.call("GET /blocks/reverted/:signature", { params }));
    if (reverted !== undefined) return { kind: "reverted", id, reverted };
    throw unknownBlock(texts.unknownId);
  }
  const header = await fetchHeader(context, found.height);
  if (header === undefined) {
    const { height: tip } = await client.call("GET /blocks/height");
    throw unknownBlock(found.height > tip ? texts.tooHigh(tip) : texts.tooLow);
  }
  const [block, parent, { height: tipHeight }] = await Promise.all([
    fetchBlock(isHeight ? header.signature : id, context),
    found.height === 1 ? undefined : fetchHeader(context, found.height - 1),
    client.call("GET /blocks/height"),
  ]);
  if (block === undefined) throw unknownBlock(texts.gone);
  return { kind: "on the chain", block, currentId: header.signature, parent, tipHeight };
}

function featureVotesText(features: readonly number[] | undefined): string | undefined {
  return (
    features && (features.map((id) => `${id} (${featureDescription(id)})`).join(", ") || commonTexts.none)
  );
}

function delayText(block: Header, parent: Header | undefined): string {
  if (parent === undefined || parent.height === 1) return "";
  const seconds = Number(block.timestamp - parent.timestamp) / 1_000;
  return texts.header.delay(numberText(seconds, 1));
}

function HeaderFields({ block, parent }: { readonly block: Header; readonly parent: Header | undefined }) {
  const consensus = block["nxt-consensus"];
  return (
    <FieldList
      rows={[
        [commonTexts.id, <BlockId value={block.signature} />],
        [
          commonTexts.time,
          <>
            <Time at={block.timestamp} />
            {delayText(block, parent)}
          </>,
        ],
        [texts.header.generator, <Address value={block.generator} />],
        [texts.header.parent, block.height === 1 ? commonTexts.none : <BlockId value={block.reference} />],
        [commonTexts.transactions, numberText(block.transactionCount)],
        [commonTexts.size, byteCount(block.blocksize)],
        [commonTexts.version, block.version],
        [commonTexts.baseTarget, numberText(consensus["base-target"])],
        [
          texts.header.generationSignature,
          <Id value={consensus["generation-signature"]} noun={texts.header.generationSignatureNoun} />,
        ],
      ]}
    />
  );
}

const feeVotes: Readonly<Record<string, string>> = texts.fees.feeVotes;

function Payments({ block }: { readonly block: Block }) {
  return (
    <FieldList
      rows={[
        [texts.fees.fees, <Amount value={block.fee} />],
        [texts.fees.burned, <Amount value={block.burnedFees} />],
        [texts.fees.miningReward, <Amount value={block.miningReward} />],
        [texts.fees.generatorReward, <Amount value={block.generatorReward} />],
        [texts.fees.feeVote, feeVotes[String(block.feeVote)] ?? block.feeVote],
        [texts.fees.featureVotes, featureVotesText(block.features)],
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
  { head: texts.microBlocks.number, kind: "number", cell: ({ number }) => number },
  { head: commonTexts.id, kind: "id", cell: ({ id }) => <BlockId value={id} /> },
  { head: commonTexts.transactions, kind: "number", cell: ({ transactionCount }) => transactionCount },
];

function MicroBlocks({ block, context }: { readonly block: Block; readonly context: PageContext }) {
  const recentBlock = context.live.blocks.value.find(
    ({ height, reverted }) => height === block.height && reverted === undefined,
  );
  if (recentBlock === undefined || recentBlock.microBlocks.length === 0) return null;
  return (
    <Panel title={texts.microBlocks.title}>
      <Table
        caption={texts.microBlocks.title}
        columns={microBlockColumns}
        rows={recentBlock.microBlocks.map((micro, i) => ({ ...micro, number: i + 1 }))}
        keyOf={({ id }) => id}
      />
    </Panel>
  );
}

function BlockStatus(
  props: Extract<BlockData, { kind: "on the chain" }> & { readonly context: PageContext },
) {
  const { block, currentId, tipHeight, context } = props;
  const newestHeight = Math.max(tipHeight, context.live.tip.value?.height ?? 0);
  if (currentId !== block.signature)
    return (
      <Note kind="unsettled">
        {texts.status.outdated} <a href={blockLink(block.height)}>{texts.status.current}</a>
      </Note>
    );
  const finality = finalityOf(block.height, newestHeight);
  const confirmations = commonTexts.confirmationCount(newestHeight - block.height);
  return (
    <Note kind={finality === "final" ? "right" : "unsettled"}>
      {block.height === 1
        ? texts.status.first
        : fill(texts.status[finality], { confirmations, final: MAX_FORK_DEPTH })}
    </Note>
  );
}

function RevertedBlock({ id, reverted }: Extract<BlockData, { kind: "reverted" }>) {
  const { header, microBlock, keepsKeyBlock, replacedBy } = reverted;
  return (
    <article class="block stack">
      <h1>
        {microBlock ? texts.reverted.microBlock : texts.reverted.block}{" "}
        <span class="quiet">{texts.reverted.height(header.height)}</span>
      </h1>
      <Notice kind="wrong">
        <p>
          <b>{texts.reverted.warning}</b> {keepsKeyBlock ? texts.reverted.keepsKeyBlock : texts.reverted.all}
        </p>
        <p>
          {replacedBy === null
            ? texts.reverted.notReplaced
            : fill(texts.reverted.replaced, { block: <BlockId value={replacedBy.signature} noCopy /> })}
        </p>
      </Notice>
      <Panel title={texts.header.title}>
        <HeaderFields block={{ ...header, signature: id }} parent={undefined} />
      </Panel>
    </article>
  );
}

/** Loads again when the block changes, and when the chain reaches its height. */
function useBlock(id: string, context: PageContext): Attempt<BlockData> | undefined {
  const { live, queries } = context;
  const key = `block ${id}`;
  const version = useComputed(() => {
    const tip = live.tip.value;
    return tip === undefined || !HEIGHT.test(id) ? undefined : String(tip.height >= Number(id));
  });
  const block = useQuery(context, key, () => load(id, context), { version: version.value });
  const loaded = useSignal<BlockData | undefined>(undefined);
  loaded.value = block?.ok === true ? block.value : undefined;
  const isOutdated = useComputed(() => {
    if (loaded.value?.kind !== "on the chain") return false;
    const { currentId, block: shown } = loaded.value;
    const found = live.blocks.value.find(({ height, reverted }) => height === shown.height && !reverted);
    return found !== undefined && found.id !== currentId;
  });
  useEffect(() => {
    if (isOutdated.value) queries.reload(key);
  }, [isOutdated.value, block]);
  return block;
}

function View({ params: { id }, context }: PageProps) {
  return (
    <PageContent
      context={context}
      heading={texts.title(id)}
      attempt={useBlock(id, context)}
      titleOf={(data) => texts.title(data.kind === "on the chain" ? numberText(data.block.height) : id)}
      render={(data) => <BlockView data={data} context={context} />}
    />
  );
}

function BlockView({ data, context }: { readonly data: BlockData; readonly context: PageContext }) {
  if (data.kind === "reverted") return <RevertedBlock {...data} />;
  const { block, parent, tipHeight } = data;
  const newestHeight = Math.max(tipHeight, context.live.tip.value?.height ?? 0);
  const { height } = block;
  return (
    <article class="block">
      <h1>{texts.title(numberText(height))}</h1>
      <nav class="adjacent-blocks" aria-label={texts.neighbours}>
        {height > 1 && (
          <a rel="prev" href={blockLink(height - 1)}>
            ← {numberText(height - 1)}
          </a>
        )}
        {height < newestHeight && (
          <a rel="next" href={blockLink(height + 1)}>
            {numberText(height + 1)} →
          </a>
        )}
      </nav>
      <BlockStatus {...data} context={context} />
      <div class="panels two-columns">
        <Panel title={texts.header.title}>
          <HeaderFields block={block} parent={parent} />
        </Panel>
        <Panel title={texts.fees.title}>
          <Payments block={block} />
        </Panel>
      </div>
      <Transactions list={block.transactions} />
      <MicroBlocks block={block} context={context} />
      <Panel title={commonTexts.bytes} stacked>
        <Bytes key={block.signature} block={block} context={context} />
      </Panel>
      <JsonPanel value={block} />
    </article>
  );
}

export const blockPage: PageDefinition = { title: ({ id }) => texts.title(id), View };
