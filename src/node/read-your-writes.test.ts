/** A client writes at one node and reads at another one, which has the blocks later. */
import { expect, test } from "vitest";
import { createServer } from "../api/server/server.ts";
import { fakeControl } from "../api/testing/control.ts";
import { memoryLog, testInfo } from "../api/testing/server.ts";
import { encodeBase58 } from "../bytes/base58.ts";
import { atOnce } from "../chain/testing/at-once.ts";
import { ReadPosition } from "../client/read-position.ts";
import { serverClient } from "../client/testing/checked-fetch.ts";
import { addressOf, addressText } from "../crypto/addresses.ts";
import { buildTransaction } from "../testing/build-transaction.ts";
import { DevNode, keyPairOf, rootKeyPair } from "../testing/dev-node.ts";
import { settingsOf } from "../testing/settings.ts";
import { transactionId } from "../transactions/index.ts";
import { tickReader } from "./api/tick-reader.ts";
import { readerContext } from "./composition.ts";

const WRITES = 20;
const LTO = 100_000_000n;

async function serve(node: DevNode) {
  const trust = { network: new Map(), root: undefined };
  const settings = settingsOf(node.profile, { index: { indexAll: true } });
  const reader = tickReader(node.store, readerContext(settings, node.chain.rules, trust));
  return createServer({
    reader,
    control: fakeControl([], node.profile.chainId),
    events: {
      onCommit: (listener) =>
        node.chain.onCommit((tip) => {
          reader.renew();
          listener(tip);
        }),
    },
    info: testInfo({ network: node.profile }),
    clock: node.clock,
    log: memoryLog(),
  });
}

/** Waits until the servers have handled what they received. */
async function settle(): Promise<void> {
  for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve));
}

test(`${WRITES} times, a client reads at another node what it wrote, although the blocks arrive later`, async () => {
  const writer = new DevNode();
  const follower = new DevNode({ clock: writer.clock, accounts: [] });
  const arriving: (() => void)[] = [];
  writer.blocks.push = (block) =>
    arriving.push(() => expect(atOnce(follower.chain.accept(block)).ok).toBe(true));
  writer.microBlocks.push = (micro) =>
    arriving.push(() => expect(atOnce(follower.chain.acceptMicroBlock(micro)).ok).toBe(true));
  const servers = [await serve(writer), await serve(follower)];
  const position = new ReadPosition();
  const [atWriter, atFollower] = servers.map((server) => serverClient(server, undefined, position));
  const stale = serverClient(servers[1]);
  writer.forger.start();
  writer.clock.advance(20_000);
  for (let i = 0; i < WRITES; i++) {
    const recipient = addressOf(keyPairOf(`recipient ${i}`).publicKey, writer.profile.chainId);
    const transaction = buildTransaction({
      type: 4,
      sender: rootKeyPair,
      fee: LTO,
      timestamp: writer.clock.now(),
      chainId: writer.profile.chainId,
      members: { recipient, amount: LTO + BigInt(i), attachment: new Uint8Array(0) },
    });
    expect(writer.pool.add(transaction).ok).toBe(true);
    const id = transactionId(transaction);
    const params = { address: addressText(recipient) };
    while (writer.pool.has(id)) writer.clock.step();
    await atWriter.call("GET /transactions/info/:id", { params: { id: encodeBase58(id) } });
    expect((await stale.call("GET /addresses/balance/:address", { params })).balance).toBe(0n);
    const waiting = atFollower.call("GET /addresses/balance/:address", { params });
    await settle();
    for (const arrive of arriving.splice(0)) arrive();
    expect((await waiting).balance).toBe(LTO + BigInt(i));
  }
  writer.forger.stop();
  for (const server of servers) await server.close();
});
