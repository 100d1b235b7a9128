import type { ComponentChildren } from "preact";
import type { Answer } from "../../../client/index.ts";
import { BlockId, Time } from "../../parts/inline.tsx";
import { type Column, idColumn, Table } from "../../parts/lists/table.tsx";
import { Height } from "../../parts/value.tsx";
import { commonTexts, countText, fill } from "../../text/text.ts";
import { nodeTexts } from "./texts.ts";

type Reorganisations = Answer<"GET /node/reorganisations">;
type Reorganisation = Reorganisations["reorganisations"][number];

const { reorganisations: texts } = nodeTexts;

function Blocks({ count, ids }: { readonly count: number; readonly ids: readonly string[] }) {
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
  { head: texts.commonBlock, kind: "number", cell: ({ commonHeight }) => <Height height={commonHeight} /> },
  idColumn(texts.reverted, ({ revertedCount, reverted }) => <Blocks count={revertedCount} ids={reverted} />),
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

export function ReorganisationsTable({ answer }: { readonly answer: Reorganisations }) {
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
