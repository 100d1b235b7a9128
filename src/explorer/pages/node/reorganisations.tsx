import type { ComponentChildren, JSX } from "preact";
import type { Answer } from "../../../client/index.ts";
import { pageLink } from "../../links.ts";
import { BlockId } from "../../parts/id.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time/time.tsx";
import { countText, numberText } from "../../text/measures.ts";

type Reorganisations = Answer<"GET /node/reorganisations">;
type Reorganisation = Reorganisations["reorganisations"][number];

function Blocks({ count, ids }: { readonly count: number; readonly ids: readonly string[] }): JSX.Element {
  return (
    <details>
      <summary>{countText(count, "block")}</summary>
      <ol class="bare">
        {ids.map((id) => (
          <li key={id}>
            <BlockId value={id} bare />
          </li>
        ))}
      </ol>
      {count > ids.length && <p class="quiet">and {numberText(count - ids.length)} above them</p>}
    </details>
  );
}

const columns: readonly Column<Reorganisation>[] = [
  { head: "When", kind: "time", cell: ({ timestamp }) => <Time at={timestamp} /> },
  {
    head: "Above block",
    kind: "number",
    cell: ({ commonHeight }) => <a href={pageLink(["block", commonHeight])}>{numberText(commonHeight)}</a>,
  },
  {
    head: "Left",
    kind: "id",
    cell: ({ revertedCount, reverted }) => <Blocks count={revertedCount} ids={reverted} />,
  },
  {
    head: "Came",
    kind: "id",
    cell: ({ committedCount, committed }): ComponentChildren =>
      committedCount === 0 ? (
        <span class="quiet">none: removed by hand</span>
      ) : (
        <Blocks count={committedCount} ids={committed} />
      ),
  },
];

/** Newest reorganisations with the blocks that left and joined the chain. */
export function ReorganisationsTable({ answer }: { readonly answer: Reorganisations }): JSX.Element {
  const { since, count, reorganisations } = answer;
  return (
    <>
      <p class="quiet">
        {count === 0 ? "None" : numberText(count)} since the node started on <Time at={since} />.
        {count > reorganisations.length && ` These are the newest ${reorganisations.length}.`}
      </p>
      {reorganisations.length > 0 && (
        <Table
          caption="Reorganisations"
          rows={reorganisations}
          columns={columns}
          keyOf={({ timestamp, commonHeight }) => `${timestamp} ${commonHeight}`}
        />
      )}
    </>
  );
}
