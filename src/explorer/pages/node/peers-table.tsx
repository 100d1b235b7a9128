import type { Answer } from "../../../client/index.ts";
import { type Column, Table } from "../../parts/lists/table.tsx";
import { TruncatedText } from "../../parts/truncated-text.tsx";
import { commonTexts } from "../../text/common-texts.ts";
import { displayText, durationText, numberText, sizeText } from "../../text/text.ts";
import { nodeTexts } from "./texts.ts";

type Peers = Answer<"GET /node/peers">;
type Peer = Peers["peers"][number];

const { peers: texts } = nodeTexts;

/** Longer differences are not shown: peers can claim any score. */
const MAX_SCORE_DIGITS = 40;
const MAX_NAME_CHARACTERS = 40;

function Score({ difference }: { readonly difference: string }) {
  if (!/^-?\d+$/.test(difference) || difference.length > MAX_SCORE_DIGITS) return <>{texts.scoreTooLong}</>;
  const value = BigInt(difference);
  const text = value === 0n ? texts.scoreEqual : value > 0n ? texts.scoreHigher : texts.scoreLower;
  return <span title={numberText(value)}>{text}</span>;
}

const columns: readonly Column<Peer>[] = [
  { head: commonTexts.address, cell: ({ address }) => <bdi class="code">{address.replace(/^\//, "")}</bdi> },
  {
    head: texts.name,
    cell: ({ peerName }) => (
      <TruncatedText text={displayText(peerName)} maxCharacters={MAX_NAME_CHARACTERS} />
    ),
  },
  { head: commonTexts.version, cell: ({ applicationVersion }) => <bdi>{applicationVersion}</bdi> },
  { head: commonTexts.direction, cell: ({ direction }) => texts.directions[direction] },
  { head: texts.connected, kind: "time", cell: ({ connectedMs }) => durationText(connectedMs) },
  {
    head: <abbr title={texts.heightHint}>{texts.height}</abbr>,
    label: texts.height,
    kind: "number",
    cell: ({ height }) => (height === undefined ? commonTexts.unknown : numberText(height)),
  },
  {
    head: <abbr title={texts.scoreHint}>{texts.score}</abbr>,
    label: texts.score,
    cell: ({ scoreDifference }) =>
      scoreDifference === undefined ? "–" : <Score difference={scoreDifference} />,
  },
  { head: texts.received, kind: "number", cell: ({ receivedBytes }) => sizeText(receivedBytes) },
  { head: texts.sent, kind: "number", cell: ({ sentBytes }) => sizeText(sentBytes) },
];

export function PeersTable({ answer }: { readonly answer: Peers }) {
  const { peers } = answer;
  const outbound = peers.filter(({ direction }) => direction === "out").length;
  return (
    <>
      {peers.length > 0 && <p class="quiet">{texts.summary(peers.length, outbound)}</p>}
      <Table
        caption={texts.caption}
        rows={peers}
        columns={columns}
        keyOf={({ address }) => address}
        empty={texts.empty}
      />
    </>
  );
}
