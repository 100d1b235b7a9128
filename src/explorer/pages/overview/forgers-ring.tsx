/** Who forges, as two rings: the blocks of late, and the stake of now. */
import type { JSX } from "preact";
import type { Answer } from "../../../client/index.ts";
import { Address } from "../../parts/id.tsx";
import { Ring } from "../../parts/ring.tsx";

/** Shares of those who forge, of blocks and of stake, as rings. */
export function ForgersRing({ forgers }: { readonly forgers: Answer<"GET /generators"> }): JSX.Element {
  if (forgers.length === 0) return <p class="quiet">Nobody has forged a block yet.</p>;
  return (
    <Ring
      caption="Forgers of the newest blocks, by blocks and by stake"
      who="Forger"
      wholes={["of blocks", "of stake"]}
      shares={forgers.map(({ generator, blocks, balance }) => ({
        key: generator,
        label: <Address value={generator} bare />,
        parts: [blocks, Number(balance)],
      }))}
    />
  );
}
