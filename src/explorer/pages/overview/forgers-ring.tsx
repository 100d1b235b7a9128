import type { JSX } from "preact";
import type { Answer } from "../../../client/index.ts";
import { Ring } from "../../parts/charts/ring.tsx";
import { Address } from "../../parts/id.tsx";

type Forger = Answer<"GET /generators">[number];

/** Rings with the forgers' shares of blocks and stake. */
export function ForgersRing(props: {
  readonly caption: string;
  readonly forgers: readonly Pick<Forger, "generator" | "blocks" | "balance">[];
}): JSX.Element {
  if (props.forgers.length === 0) return <p class="quiet">Nobody has forged a block yet.</p>;
  return (
    <Ring
      caption={props.caption}
      who="Forger"
      wholes={["of blocks", "of stake"]}
      shares={props.forgers.map(({ generator, blocks, balance }) => ({
        key: generator,
        label: <Address value={generator} bare />,
        parts: [blocks, Number(balance)],
      }))}
    />
  );
}
