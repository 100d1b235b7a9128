import type { Answer } from "../../../client/index.ts";
import { afterKeyBlocks, useAnswer } from "../../data/use-query.ts";
import type { PageContext } from "../../page.ts";
import { Age, Forger } from "../../parts/inline.tsx";
import { type Column, idColumn, numberColumn, Table } from "../../parts/lists/table.tsx";
import { AttemptedPanel } from "../../parts/panel.tsx";
import { Height } from "../../parts/value.tsx";
import { commonTexts } from "../../text/common-texts.ts";
import { durationText } from "../../text/text.ts";
import { forgersTexts } from "./texts.ts";

type MissedBlock = Answer<"GET /generators/missed">["blocks"][number];

const { missed: texts } = forgersTexts;

const columns: readonly Column<MissedBlock>[] = [
  numberColumn(commonTexts.block, ({ height }) => <Height height={height} />),
  idColumn(texts.shortest, ({ shortest }) => <Forger value={shortest} noCopy />),
  numberColumn(texts.earlier, ({ due, timestamp }) => durationText(Number(timestamp - due))),
  idColumn(texts.generator, ({ generator }) => <Forger value={generator} noCopy />),
  { head: commonTexts.age, kind: "time", cell: ({ timestamp }) => <Age at={timestamp} /> },
];

/** Newest blocks that another forger could have made earlier. @param props.forger default: any */
export function MissedBlocks(props: { readonly context: PageContext; readonly forger?: string }) {
  const { context, forger } = props;
  const missed = useAnswer(context, afterKeyBlocks(context), "GET /generators/missed");
  return (
    <AttemptedPanel
      title={texts.title}
      attempt={missed}
      lines={6}
      render={({ window, blocks }) => (
        <>
          <p class="quiet">{texts.note(window)}</p>
          <Table
            caption={texts.title}
            columns={columns}
            rows={blocks.filter(({ shortest }) => forger === undefined || shortest === forger)}
            keyOf={({ height }) => height}
            empty={texts.none}
          />
        </>
      )}
    />
  );
}
