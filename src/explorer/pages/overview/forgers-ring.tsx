import type { Answer } from "../../../client/index.ts";
import { Ring } from "../../parts/charts/ring.tsx";
import { Address } from "../../parts/inline.tsx";
import { commonTexts } from "../../text/common-texts.ts";
import { overviewTexts } from "./texts.ts";

type Forger = Answer<"GET /generators">[number];

export function ForgersRing(props: {
  readonly caption: string;
  readonly forgers: readonly Pick<Forger, "generator" | "blocks" | "balance">[];
}) {
  if (props.forgers.length === 0) return <p class="quiet">{overviewTexts.forgers.empty}</p>;
  return (
    <>
      <Ring
        caption={props.caption}
        labelHeading={commonTexts.forger}
        ringLabels={[overviewTexts.forgers.blocks, overviewTexts.forgers.stake]}
        shares={props.forgers.map(({ generator, blocks, balance }) => ({
          key: generator,
          label: <Address value={generator} noCopy />,
          parts: [blocks, Number(balance)],
        }))}
      />
      <p class="quiet">{overviewTexts.forgers.rings}</p>
    </>
  );
}
