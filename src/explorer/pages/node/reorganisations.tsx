import type { ComponentChildren, JSX } from "preact";
import type { Answer } from "../../../client/index.ts";

import { BlockId } from "../../parts/id.tsx";
import { type Column, Table } from "../../parts/lists/table.tsx";
import { Time } from "../../parts/time/time.tsx";
import { Height } from "../../parts/value.tsx";
import { commonTexts } from "../../text/common-texts.ts";
import { fill } from "../../text/fill.ts";
import { countText } from "../../text/measures.ts";
import { nodeTexts } from "./texts.ts";

type Reorganisations = Answer<"GET /node/reorganisations">;
type Reorganisation = Reorganisations["reorganisations"][number];

const { reorganisations: texts } = nodeTexts;

function Blocks({ count, ids }: { readonly count: number; readonly ids: readonly string[] }): JSX.Element {
  return (
    <details>
      <summary>{countText(count, "block")}</summary>
      <ol class="bare">
        {ids.map((id) => (
          <li key={id}>
            <BlockId value={id} noCopy />
          </li>
        ))}
      </ol>
      {count > ids.length && <p class="quiet">{texts.unlisted(count - ids.length)}</p>}
    </details>
  );
}

const columns: readonly Column<Reorganisation>[] = [
  { head: commonTexts.time, kind: "time", cell: ({ timestamp }) => <Time at={timestamp} /> },
  {
    head: texts.commonBlock,
    kind: "number",
    cell: ({ commonHeight }) => <Height height={commonHeight} />,
  },
  {
    head: texts.reverted,
    kind: "id",
    cell: ({ revertedCount, reverted }) => <Blocks count={revertedCount} ids={reverted} />,
  },
  {
    head: texts.added,
    kind: "id",
    cell: ({ committedCount, committed }): ComponentChildren =>
      committedCount === 0 ? (
        <span class="quiet">{texts.rollback}</span>
      ) : (
        <Blocks count={committedCount} ids={committed} />
      ),
  },
];

export function ReorganisationsTable({ answer }: { readonly answer: Reorganisations }): JSX.Element {
  const { since, count, reorganisations } = answer;
  return (
    <>
      <p class="quiet">
        {fill(count === 0 ? texts.none : texts.some(count), { time: <Time at={since} /> })}{" "}
        {count > reorganisations.length && texts.newest(reorganisations.length)}
      </p>
      {reorganisations.length > 0 && (
        <Table
          caption={texts.title}
          rows={reorganisations}
          columns={columns}
          keyOf={({ timestamp, commonHeight }) => `${timestamp} ${commonHeight}`}
        />
      )}
    </>
  );
}
