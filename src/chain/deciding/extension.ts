import { type Block, isBlockSigned } from "../../blocks/block.ts";
import type { Clock } from "../../interfaces.ts";
import { tables } from "../../storage/tables.ts";
import type { Checked, Session } from "../writing/session.ts";
import { ChainClosedError } from "../writing/write-queue.ts";
import type { ChainWriter } from "../writing/writer.ts";
import { accepted, type ExtensionResult, refused } from "./append-result.ts";
import { blockText, genericRefusal, signatureRefusal } from "./block-refusal.ts";
import type { BlockRules } from "./block-rules.ts";
import type { CheckpointList } from "./checkpoints.ts";

/** A block of an extension, with what is known of it. */
export interface OfferedBlock extends Checked {
  readonly block: Block;
}

export interface ExtensionDependencies {
  readonly writer: ChainWriter;
  readonly blocks: BlockRules;
  readonly checkpoints: CheckpointList;
  readonly clock: Clock;
}

/** How long an extension is worked on before whoever else waits for this thread gets a turn, ms. */
const TURN_MS = 50;

/**
 * Takes consecutive blocks of one peer that may replace blocks of ours, all or none: they are one commit, whatever
 * they revert. Page 03 §12.3. Where the reference loses the micro blocks of the liquid block when the extension
 * fails, nothing is lost here.
 *
 * It takes as many turns of the event loop as it needs. Meanwhile nobody else writes; the chain is read as it was.
 * @throws ChainBusyError, ChainClosedError
 */
export async function acceptExtension(
  dependencies: ExtensionDependencies,
  offered: readonly OfferedBlock[],
): Promise<ExtensionResult> {
  const { writer, clock } = dependencies;
  const pace = new Pace(clock, () => {
    if (writer.queue.isClosed) throw new ChainClosedError();
  });
  for (const { block, signature } of offered) {
    if (signature !== true && !isBlockSigned(block))
      return { ...refused(signatureRefusal(blockText(block))), block };
    if (pace.isDue) await pace.turn();
  }
  const release = await writer.queue.take();
  const open = writer.begin(release);
  let result: ExtensionResult;
  try {
    result = await extend(dependencies, open.session, offered, pace);
  } catch (error) {
    open.abandon();
    throw error;
  }
  if (result.ok && result.outcome === "appended") open.commit();
  else open.abandon();
  return result;
}

async function extend(
  { blocks, checkpoints }: ExtensionDependencies,
  session: Session,
  offered: readonly OfferedBlock[],
  pace: Pace,
): Promise<ExtensionResult> {
  const { batch } = session;
  const heightOf = (id: Uint8Array): number | undefined => batch.get(tables.blockIds, id)?.height;
  const first = offered.findIndex(({ block }) => heightOf(block.signature) === undefined);
  if (first < 0) return accepted("known");
  const unknown = offered.slice(first);
  const common = unknown[0].block.reference;
  const commonHeight = heightOf(common);
  if (commonHeight === undefined) return refused(genericRefusal("Fork contains no common parent"));
  for (const [i, { block }] of unknown.entries()) {
    if (!checkpoints.allows(commonHeight + 1 + i, block.signature))
      return refused(genericRefusal("Fork contains block that doesn't match checkpoint, declining fork"));
  }
  blocks.removeAfter(session, common);
  for (const { block, verdicts } of unknown) {
    // Without a pause otherwise: even one that only lets promises go on is one in which others ask.
    if (pace.isDue) {
      await pace.turn();
      session.resume();
    }
    const appended = blocks.append(session, block, { verdicts, signature: true });
    if (!appended.ok) return { ...appended, block };
  }
  return accepted("appended");
}

/** Long work in turns. */
class Pace {
  private since: number;

  /** @param check called when the work goes on: it throws when it is to end */
  constructor(
    private readonly clock: Clock,
    private readonly check: () => void,
  ) {
    this.since = clock.now();
  }

  /** Whether others have waited for long enough. */
  get isDue(): boolean {
    return this.clock.now() - this.since >= TURN_MS;
  }

  /** Lets others have their turn. */
  async turn(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.clock.after(0, resolve);
    });
    this.check();
    this.since = this.clock.now();
  }
}
