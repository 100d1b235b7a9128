/** Writes at one of several nodes, and reads the effect at another one with the position of the first. */
import { join } from "node:path";
import { createClient, FailedRequestError } from "../../src/client/client.ts";
import { ReadPosition } from "../../src/client/read-position.ts";
import { checkedFetch } from "../../src/client/testing/checked-fetch.ts";
import { addressOf, addressText } from "../../src/crypto/addresses.ts";
import type { SeededRandom } from "../../src/testing/seeded-random.ts";
import { type NodeProcess, startNodeProcess, until } from "./node-process.ts";
import { signedRequest, walletKeys } from "./sign-request.ts";

const FOLLOWERS = 2;
const CONCURRENT = 25;
const FEE = 100_000_000;
const chainId = "Z".charCodeAt(0);
const root = walletKeys("root");

interface PositionReport {
  readonly reads: number;
  /** Answers with status 503, because a node did not have the position within two seconds. */
  readonly late: number;
}

/** @throws Error if a node answers without the effect of a transaction */
export async function positionRounds(
  folder: string,
  times: number,
  random: SeededRandom,
): Promise<PositionReport> {
  const nodes: NodeProcess[] = [await startNodeProcess({ dataDir: join(folder, "node") })];
  let late = 0;
  const isLate = (error: unknown): boolean => error instanceof FailedRequestError && error.status === 503;

  const round = async (serial: number): Promise<void> => {
    const writer = random.pick(nodes);
    const reader = random.pick(nodes.filter((node) => node !== writer));
    const position = new ReadPosition();
    const [writing, reading] = [writer, reader].map(({ url }) =>
      createClient({ url, fetch: checkedFetch, position }),
    );
    const address = addressText(addressOf(walletKeys(`reader ${serial}`).publicKey, chainId));
    const request = { type: 4, recipient: address, amount: 1 + serial, fee: FEE };
    const signed = signedRequest(request, root, chainId);
    const sent = await until(`a source for ${writer.url}`, async () => {
      const answer = await writer.post("/transactions/broadcast", signed);
      if (answer.status === 200) return answer.json;
      // A busy source took more than two seconds.
      if (answer.status === 503) return undefined;
      throw new Error(`The broadcast was answered with ${answer.status}: ${answer.text}`);
    });
    const params = { id: String(sent.id) };
    await until(`transaction ${params.id} in a block`, async () => {
      try {
        return await writing.call("GET /transactions/info/:id", { params, query: { wait: 20_000 } });
      } catch (error) {
        if (error instanceof FailedRequestError && error.status === 404) return undefined;
        throw error;
      }
    });
    const { balance } = await until(`the balance of ${address} at ${reader.url}`, async () => {
      try {
        return await reading.call("GET /addresses/balance/:address", { params: { address } });
      } catch (error) {
        if (!isLate(error)) throw error;
        late++;
        return undefined;
      }
    });
    if (balance !== BigInt(1 + serial))
      throw new Error(`${reader.url} answers ${balance} instead of ${1 + serial} at ${position.text}`);
  };

  try {
    for (let i = 0; i < FOLLOWERS; i++)
      nodes.push(
        await startNodeProcess({ dataDir: join(folder, `follower-${i}`), args: ["--follow", nodes[0].url] }),
      );
    for (let done = 0; done < times; done += CONCURRENT) {
      const count = Math.min(CONCURRENT, times - done);
      await Promise.all(Array.from({ length: count }, (_, i) => round(done + i)));
    }
    return { reads: times, late };
  } finally {
    for (const node of nodes) await node.kill();
  }
}
