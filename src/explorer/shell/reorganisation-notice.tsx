/** Says that blocks left the chain, until the user has seen it. */
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { blockLink, pageLink } from "../links.ts";
import type { Live } from "../page.ts";
import { Note } from "../parts/panel.tsx";
import { shellTexts as texts } from "./texts.ts";

/** Further blocks are only counted. */
const MAX_LINKED_BLOCKS = 5;

export function ReorganisationNotice({ live }: { readonly live: Live }) {
  /** Heights by block id, also of blocks that have left the list of recent ones. */
  const reverted = useRef<Map<string, number>>(new Map());
  const seen = useSignal<ReadonlySet<string>>(new Set());
  for (const block of live.blocks.value)
    if (block.reverted !== undefined) reverted.current.set(block.id, block.height);
  const unseen = [...reverted.current].filter(([id]) => !seen.value.has(id));
  if (unseen.length === 0) return null;
  return (
    <div class="reorganisation-notice" role="status">
      <Note kind="unsettled">
        {texts.reorganisation.blocks(unseen.length)}{" "}
        {unseen.slice(0, MAX_LINKED_BLOCKS).map(([id, height]) => (
          <span key={id}>
            <a href={blockLink(id)}>{texts.reorganisation.block(height)}</a>{" "}
          </span>
        ))}
        <a href={pageLink(["node"])}>{texts.reorganisation.all}</a>{" "}
        <button type="button" class="small" onClick={() => (seen.value = new Set(reverted.current.keys()))}>
          {texts.reorganisation.seen}
        </button>
      </Note>
    </div>
  );
}
