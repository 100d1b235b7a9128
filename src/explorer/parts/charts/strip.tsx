import { blockLink } from "../../links.ts";
import type { RecentBlock } from "../../page.ts";
import { commonTexts } from "../../text/common-texts.ts";
import { numberText } from "../../text/text.ts";
import { Age } from "../inline.tsx";
import { partTexts } from "../texts.ts";

const { strip } = partTexts;

/** A full bar stands for at least this many transactions. */
const MIN_FULL_COUNT = 20;

/**
 * Returns a band per micro block, and one for other transactions, in percent of a full bar.
 * @param scale number of transactions that fill the bar
 */
export function bandsOf({ id, microBlocks, transactionCount }: RecentBlock, scale: number) {
  const inMicroBlocks = microBlocks.reduce((sum, micro) => sum + micro.transactionCount, 0);
  const parts = [{ id, transactionCount: transactionCount - inMicroBlocks }, ...microBlocks];
  let from = 0;
  return parts
    .filter((part) => part.transactionCount > 0)
    .map((part) => {
      const width = (100 * part.transactionCount) / scale;
      const band = { key: part.id, from, width };
      from += width;
      return band;
    });
}

function BlockBar({ block, scale }: { readonly block: RecentBlock; readonly scale: number }) {
  return (
    <svg class="fill" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true" focusable="false">
      {bandsOf(block, scale).map(({ key, from, width }) => (
        // Leave a gap between bands, where there is room.
        <rect key={key} x={from} width={Math.max(width - 0.8, width / 2)} height="4" />
      ))}
    </svg>
  );
}

function classOf({ reverted, liquid }: RecentBlock): string {
  if (reverted !== undefined) return "block reverted";
  return liquid ? "block liquid" : "block";
}

function Block({ block, scale }: { readonly block: RecentBlock; readonly scale: number }) {
  const { height, id, microBlocks, transactionCount, reverted, liquid } = block;
  return (
    <li class={classOf(block)}>
      <p class="height">
        {/* A link by height would open the replacement. */}
        <a href={blockLink(reverted === undefined ? height : id)}>{numberText(height)}</a>
        {liquid && <span class="unsettled"> {strip.liquid}</span>}
        {reverted !== undefined && <span class="wrong"> {strip.reverted}</span>}
      </p>
      <BlockBar block={block} scale={scale} />
      <p>{transactionCount === 0 ? partTexts.empty : commonTexts.transactionCount(transactionCount)}</p>
      <p class="quiet">
        {reverted?.by !== undefined && <a href={blockLink(reverted.by)}>{strip.replacement}</a>}
        {reverted === undefined && <Age at={block.timestamp} />}
        {liquid && microBlocks.length > 0 && strip.microBlocks(microBlocks.length)}
      </p>
    </li>
  );
}

const keyOf = ({ height, id, reverted }: RecentBlock): string =>
  reverted === undefined ? String(height) : `${height} ${id}`;

export function BlockStrip({ blocks }: { readonly blocks: readonly RecentBlock[] }) {
  const scale = Math.max(MIN_FULL_COUNT, ...blocks.map(({ transactionCount }) => transactionCount));
  return (
    <ol class="strip bare" aria-label={strip.title}>
      {blocks.map((block) => (
        <Block key={keyOf(block)} block={block} scale={scale} />
      ))}
    </ol>
  );
}
