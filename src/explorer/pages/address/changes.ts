import type { Answer, Client } from "../../../client/index.ts";
import { type ListPage, PAGE_SIZE, toListPage } from "../../parts/lists/long-table.tsx";

export type Change = Answer<"GET /addresses/balance/changes/:address">[number];

export interface ChangeRow extends Change {
  /** Change of the regular balance. */
  readonly difference: bigint;
}

/** `change`: oldest change of the previous answer. The balance before it is only in the next answer. */
export interface ChangeCursor {
  readonly cursor: string;
  readonly change: Change | undefined;
}

/** Changes have no id, and a block can cause several. */
export function changeKey({ height, transactions, regular, effective, unbonding }: Change): string {
  return [height, transactions[0], regular, effective, unbonding].join(" ");
}

export async function loadChanges(
  client: Client,
  address: string,
  from?: ChangeCursor,
  limit = PAGE_SIZE,
): Promise<ListPage<ChangeRow, ChangeCursor>> {
  const request = { params: { address }, query: { limit, cursor: from?.cursor } };
  const answer = await client.callWithHeaders("GET /addresses/balance/changes/:address", request);
  const { rows, next: cursor } = toListPage(answer);
  const changes = from?.change === undefined ? rows : [from.change, ...rows];
  const shown = cursor === undefined ? changes : changes.slice(0, -1);
  return {
    rows: shown.map((change, i) => ({
      ...change,
      difference: change.regular - (changes[i + 1]?.regular ?? 0n),
    })),
    next: cursor === undefined ? undefined : { cursor, change: changes.at(-1) },
  };
}
