import type { JSX } from "preact";
import { durationText } from "../../../bytes/durations.ts";
import type { Answer } from "../../../client/index.ts";
import { type Column, Table } from "../../parts/table.tsx";
import { TruncatedText } from "../../parts/truncated-text.tsx";
import { displayText } from "../../text/display-text.ts";
import { countText, numberText, sizeText } from "../../text/measures.ts";

type Peers = Answer<"GET /node/peers">;
type Peer = Peers["peers"][number];

/** Longest score difference that is shown as a number, digits. Peers can claim any score. */
const MAX_SCORE_DIGITS = 40;
/** Characters of a name shown at first. */
const MAX_NAME_LENGTH = 40;

/** Formats a score difference: `+1,250`, `−3`, `level`. */
function differenceText(difference: string): string {
  if (!/^-?\d+$/.test(difference) || difference.length > MAX_SCORE_DIGITS) return "very far";
  const value = BigInt(difference);
  if (value === 0n) return "level";
  return `${value > 0n ? "+" : "−"}${numberText(value < 0n ? -value : value)}`;
}

const columns: readonly Column<Peer>[] = [
  { head: "Address", cell: ({ address }) => <bdi class="code">{address.replace(/^\//, "")}</bdi> },
  {
    head: "Name",
    cell: ({ peerName }) => <TruncatedText text={displayText(peerName)} most={MAX_NAME_LENGTH} />,
  },
  { head: "Version", cell: ({ applicationVersion }) => <bdi>{applicationVersion}</bdi> },
  { head: "Direction", cell: ({ direction }) => (direction === "in" ? "came in" : "dialled") },
  { head: "Connected", kind: "time", cell: ({ connectedMs }) => durationText(connectedMs) },
  {
    head: (
      <abbr title="Nodes tell each other scores, no heights: this is what the score comes to">
        Height, about
      </abbr>
    ),
    kind: "number",
    cell: ({ height }) => (height === undefined ? "not told yet" : numberText(height)),
  },
  {
    head: <abbr title="The score of its chain less that of this node's chain">Score difference</abbr>,
    kind: "number",
    cell: ({ scoreDifference }) => (scoreDifference === undefined ? "–" : differenceText(scoreDifference)),
  },
  { head: "Received", kind: "number", cell: ({ receivedBytes }) => sizeText(receivedBytes) },
  { head: "Sent", kind: "number", cell: ({ sentBytes }) => sizeText(sentBytes) },
];

/** Table of connected peers. */
export function PeersTable({ answer }: { readonly answer: Peers }): JSX.Element {
  const { peers } = answer;
  return (
    <>
      {peers.length > 0 && (
        <p class="quiet">{`${countText(peers.length, "node")}, ${countText(peers.filter(({ direction }) => direction === "out").length, "of which was dialled", "of which were dialled")} from here.`}</p>
      )}
      <Table
        caption="Connected nodes"
        rows={peers}
        columns={columns}
        keyOf={({ address }) => address}
        empty="No other node is connected."
      />
    </>
  );
}
