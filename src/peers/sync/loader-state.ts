/** The extension loader's state as text. Page 06 §7.16. */
import type { Loading } from "./download.ts";
import { type Piece, piecesText } from "./extension-queue.ts";
import type { Question } from "./question.ts";

/**
 * Returns the state of loader and applier, as `/debug/info` shows it.
 * @param request what a peer is being asked
 * @param applying the piece that is being applied
 */
export function stateText(request: Question | Loading | undefined, applying: Piece | undefined): string {
  const loader =
    request === undefined
      ? "Idle"
      : `${request.kind === "question" ? "ExpectingSignatures" : "ExpectingBlocks"}(${request.peer.label})`;
  const applier = applying === undefined ? "Idle" : `Applying(${piecesText(applying)})`;
  return `State(${loader},${applier})`;
}
