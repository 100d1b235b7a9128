/** Kills a forging, transaction-fed node again and again, and looks each time whether anything was lost. */
import { setTimeout as delay } from "node:timers/promises";
import { encodeBase58 } from "../../src/bytes/base58.ts";
import { addressOf, addressText } from "../../src/crypto/addresses.ts";
import { sha256 } from "../../src/crypto/hashes.ts";
import { SeededRandom } from "../../src/testing/seeded-random.ts";
import {
  heightOf,
  type NodeProcess,
  runCli,
  startNodeProcess,
  transactionInfo,
  until,
} from "./node-process.ts";
import { signedRequest, walletKeys } from "./sign-request.ts";

const chainId = "Z".charCodeAt(0);
const root = walletKeys("root");
/**
 * Longest life of the node between two kills, ms: several micro blocks, and in some rounds a key block, which a node
 * makes a second after its start at the earliest.
 */
const LONGEST_LIFE_MS = 2_200;

export interface KillReport {
  readonly rounds: number;
  /** Transactions that the node reported as in a block, all found again after each kill. */
  readonly confirmed: number;
  readonly height: number;
}

/**
 * @param options `times`: kills; `seed`: decides the instants and the transactions
 * @throws Error that says what was lost, and in which round
 */
export async function killRounds(options: {
  readonly dataDir: string;
  readonly times: number;
  readonly seed: number;
  readonly report?: (round: number, height: number) => void;
}): Promise<KillReport> {
  const random = new SeededRandom(options.seed);
  const below = (limit: number) => new DataView(random.bytes(4).buffer).getUint32(0) % limit;
  const confirmed = new Set<string>();
  let sent: string[] = [];
  let serial = 0;
  let height = 0;

  /** A transfer, an anchor, data, an association, its revoke or a lease: every index gets something to do. */
  const nextRequest = (): string => {
    serial++;
    const other = addressText(addressOf(walletKeys("other", below(20)).publicKey, chainId));
    const hash = encodeBase58(sha256(random.bytes(8)));
    const kinds = [
      { type: 4, recipient: other, amount: 1 + below(1000), fee: 100_000_000 },
      { type: 15, anchors: [hash], fee: 35_000_000 },
      { type: 12, data: [{ key: `k${below(50)}`, type: "integer", value: serial }], fee: 60_000_000 },
      { type: 16, associationType: 1 + below(3), recipient: other, fee: 50_000_000 },
      { type: 17, associationType: 1 + below(3), recipient: other, fee: 50_000_000 },
      { type: 8, recipient: other, amount: 100_000_000 + below(1000), fee: 100_000_000 },
      { type: 22, anchors: { [hash]: hash }, fee: 35_000_000 },
    ];
    return signedRequest(kinds[below(kinds.length)] as Record<string, unknown>, root, chainId);
  };

  const feed = async (node: NodeProcess, alive: () => boolean) => {
    while (alive()) {
      const answer = await node.post("/transactions/broadcast", nextRequest());
      // A revoke of what is not there is refused; all else is taken.
      if (answer.status === 200) sent.push(answer.json.id);
      const looked = sent[below(sent.length || 1)];
      if (looked !== undefined && (await transactionInfo(node, looked)) !== undefined) confirmed.add(looked);
    }
  };

  const checkSurvivors = async (node: NodeProcess, round: number) => {
    const now = await heightOf(node);
    if (now < height) throw new Error(`Round ${round}: height ${now}, before the kill ${height}`);
    height = now;
    const tip = await node.client.call("GET /blocks/last");
    if (tip.height !== now) throw new Error(`Round ${round}: no whole tip: ${tip.height}`);
    for (const id of confirmed) {
      if ((await transactionInfo(node, id)) === undefined)
        throw new Error(`Round ${round}: transaction ${id} was in a block and is lost`);
    }
  };

  // Nothing can be packed before the first key block of our own.
  const first = await startNodeProcess({ dataDir: options.dataDir });
  await until("the first key block", async () => ((await heightOf(first)) > 1 ? true : undefined));
  await first.kill();

  for (let round = 1; round <= options.times; round++) {
    const node = await startNodeProcess({ dataDir: options.dataDir });
    await checkSurvivors(node, round);
    let alive = true;
    // Requests in flight when the node dies fail; that is what the round is about.
    const feeding = feed(node, () => alive).catch(() => {});
    await delay(below(LONGEST_LIFE_MS));
    alive = false;
    await node.kill();
    await feeding;
    const verdict = await runCli(["verify", "--data-dir", options.dataDir]);
    if (verdict.code !== 0) throw new Error(`Round ${round}: ${verdict.stdout}${verdict.stderr}`);
    options.report?.(round, height);
    // Those not confirmed may have been in the pool only, which does not survive.
    sent = [...confirmed].slice(-50);
  }
  const node = await startNodeProcess({ dataDir: options.dataDir });
  await checkSurvivors(node, options.times + 1);
  await node.stop();
  return { rounds: options.times, confirmed: confirmed.size, height };
}
