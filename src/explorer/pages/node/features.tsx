import type { Answer } from "../../../client/index.ts";
import { type Column, Table } from "../../parts/lists/table.tsx";
import { Height } from "../../parts/value.tsx";
import { commonTexts } from "../../text/common-texts.ts";
import { fill } from "../../text/text.ts";
import { nodeTexts } from "./texts.ts";

type Activation = Answer<"GET /activation/status">;
type Feature = Activation["features"][number];

const { features: texts } = nodeTexts;

function percentOf(height: number, end: number): number {
  return end <= 1 ? 0 : (100 * Math.min(Math.max(height, 1), end)) / end;
}

function Timeline({ height, nextCheck, features }: Activation) {
  const end = Math.max(height, nextCheck, ...features.map(({ activationHeight = 0 }) => activationHeight));
  const activationCounts = new Map<number, number>();
  for (const { activationHeight } of features)
    if (activationHeight !== undefined)
      activationCounts.set(activationHeight, (activationCounts.get(activationHeight) ?? 0) + 1);
  const percent = (atHeight: number): string => `${percentOf(atHeight, end).toFixed(2)}%`;
  return (
    <svg class="timeline" width="100%" height="44" aria-hidden="true" focusable="false">
      <line class="future" x1="0%" x2="100%" y1="16" y2="16" />
      <line class="past" x1="0%" x2={percent(height)} y1="16" y2="16" />
      {[...activationCounts].map(([activationHeight, count]) => (
        <circle
          key={activationHeight}
          class={activationHeight <= height ? "feature-active" : "feature-approved"}
          cx={percent(activationHeight)}
          cy="16"
          r={Math.min(4 + count, 9)}
        />
      ))}
      <line class="now" x1={percent(height)} x2={percent(height)} y1="4" y2="28" />
      <text
        x={percent(height)}
        y="42"
        text-anchor={percentOf(height, end) > 75 ? "end" : percentOf(height, end) < 10 ? "start" : "middle"}
      >
        {texts.now(height)}
      </text>
      {percentOf(nextCheck, end) - percentOf(height, end) > 25 && (
        <text x="100%" y="42" text-anchor="end">
          {texts.nextCount(nextCheck)}
        </text>
      )}
    </svg>
  );
}

export function Features({ answer }: { readonly answer: Activation }) {
  const { features, votingInterval, votingThreshold, nextCheck } = answer;
  const byActivation = [...features].sort(
    (a, b) =>
      (a.activationHeight ?? Number.MAX_VALUE) - (b.activationHeight ?? Number.MAX_VALUE) || a.id - b.id,
  );
  const columns: readonly Column<Feature>[] = [
    { head: texts.feature, cell: ({ id, description }) => `${texts.name(id, description)} (${id})` },
    {
      head: commonTexts.status,
      cell: ({ blockchainStatus, activationHeight = 0, supportingBlocks = 0 }) => {
        switch (blockchainStatus) {
          case "ACTIVATED":
            return activationHeight <= 1
              ? texts.activeFromStart
              : fill(texts.activeSince, { height: <Height height={activationHeight} /> });
          case "APPROVED":
            return <span class="unsettled">{texts.approved(activationHeight)}</span>;
          case "VOTING":
            return (
              <label class="votes">
                <span>{texts.votes(supportingBlocks, votingThreshold)}</span>
                <progress
                  max={Math.max(1, votingThreshold)}
                  value={Math.min(supportingBlocks, votingThreshold)}
                />
              </label>
            );
        }
      },
    },
    { head: commonTexts.thisNode, cell: ({ nodeStatus }) => texts.node[nodeStatus] },
  ];
  return (
    <>
      <Timeline {...answer} />
      <p class="quiet">{texts.voting(votingInterval, nextCheck, votingThreshold)}</p>
      <Table caption={texts.title} rows={byActivation} columns={columns} keyOf={({ id }) => id} />
    </>
  );
}
