import type { Answer, Client } from "../../../client/index.ts";

type Pair<T> = readonly [T, T];
type Header = Answer<"GET /blocks/headers/at/:height">;

export type Comparison =
  | { readonly kind: "other network" }
  /** The newest block of the shorter chain is not compared: micro blocks still change it. */
  | { readonly kind: "same"; readonly upTo: number }
  /** First different block of each chain. */
  | { readonly kind: "different"; readonly headers: Pair<Header> };

const isSame = ([a, b]: Pair<Header>): boolean => a.signature === b.signature;

/**
 * Finds the first different block by bisection, with at most 33 requests to each node.
 * @throws the client's errors
 */
export async function compareChains(clients: Pair<Client>, heights: Pair<number>): Promise<Comparison> {
  const headersAt = (height: number): Promise<Pair<Header>> => {
    const headerOf = (client: Client) =>
      client.call("GET /blocks/headers/at/:height", { params: { height } });
    return Promise.all([headerOf(clients[0]), headerOf(clients[1])]);
  };
  if (!isSame(await headersAt(1))) return { kind: "other network" };
  let different = Math.max(1, Math.min(...heights) - 1);
  let headers = await headersAt(different);
  if (isSame(headers)) return { kind: "same", upTo: different };
  for (let same = 1; different - same > 1; ) {
    const middle = Math.floor((same + different) / 2);
    const found = await headersAt(middle);
    if (isSame(found)) same = middle;
    else {
      different = middle;
      headers = found;
    }
  }
  return { kind: "different", headers };
}
