import type { NetworkProfile } from "../../profiles/profile.ts";
import type { Store } from "../../storage/store.ts";
import type { Chain } from "../chain.ts";
import { unitContent } from "../following/unit-content.ts";
import { lastSequence } from "../reading/micro-blocks.ts";
import { headerRow } from "../reading/rows.ts";
import { recordsAfter } from "../reading/unit-records.ts";
import { atOnce } from "./at-once.ts";

/** Removes the blocks above a height, and accepts the same ones again. A persist unit is now below them. */
export function returnBlocks(
  chain: Chain,
  store: Pick<Store, "read">,
  profile: NetworkProfile,
  height: number,
): void {
  const { id, records } = store.read((reader) => {
    const position = {
      height,
      sequence: lastSequence(reader, height),
      id: headerRow(reader, height).signature.slice(),
    };
    return { ...recordsAfter(reader, profile, position, { units: 1e4, bytes: 1e9 }), id: position.id };
  });
  chain.removeAfter(id, { returnTransactions: false });
  for (const record of records) {
    const content = unitContent(record, profile, true);
    if (!content.ok) throw new Error(content.error);
    if (content.value.kind === "persist") continue;
    const result =
      content.value.kind === "block"
        ? chain.process(content.value.block)
        : atOnce(chain.acceptMicroBlock(content.value.micro));
    if (!result.ok) throw new Error(result.error.printed);
  }
}
