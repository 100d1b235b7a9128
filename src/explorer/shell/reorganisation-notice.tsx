/** Says that blocks left the chain, until the visitor dismisses it or opens the list of reorganisations. */
import { useSignalEffect } from "@preact/signals";
import { blockLink, pageLink } from "../links.ts";
import type { Live } from "../page.ts";
import { Note } from "../parts/panel.tsx";
import { markSeen, noticeReverted, unseenBlocks } from "./noticed-reorganisations.ts";
import { shellTexts as texts } from "./texts.ts";

/** Further blocks are only counted. */
const MAX_LINKED_BLOCKS = 5;

function dismiss(): void {
  markSeen();
  // The focused button disappears.
  document.getElementById("content")?.focus();
}

export function ReorganisationNotice({ live }: { readonly live: Live }) {
  useSignalEffect(() => noticeReverted(live.blocks.value));
  const unseen = unseenBlocks.value;
  if (unseen.length === 0) return null;
  return (
    <div class="reorganisation-notice" role="status">
      <Note kind="unsettled">
        {texts.reorganisation.blocks(unseen.length)}{" "}
        {unseen.slice(-MAX_LINKED_BLOCKS).map(({ id, height }) => (
          <span key={id}>
            <a href={blockLink(id)}>{texts.reorganisation.block(height)}</a>{" "}
          </span>
        ))}
        <a href={pageLink(["reorganisations"])}>{texts.reorganisation.all}</a>{" "}
        <button type="button" class="small" onClick={dismiss}>
          {texts.reorganisation.seen}
        </button>
      </Note>
    </div>
  );
}
