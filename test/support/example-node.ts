/**
 * A node of the network `dev` in a simulated environment. Requests reach its HTTP interface without sockets, so the answers
 * are the same in every run.
 */
import type { FastifyInstance } from "fastify";
import { createServer } from "../../src/api/server/server.ts";
import { encodeUtf8 } from "../../src/bytes/utf8.ts";
import { accountSeed } from "../../src/crypto/seeds.ts";
import { apiInfo } from "../../src/node/api/api.ts";
import { tickReader } from "../../src/node/api/tick-reader.ts";
import { readerContext } from "../../src/node/composition.ts";
import { type Node, startNode } from "../../src/node.ts";
import { DEV_SEED_TEXT } from "../../src/profiles/dev.ts";
import { dev } from "../../src/profiles/index.ts";
import { memoryStore } from "../../src/storage/memory-store.ts";
import { settingsOf } from "../../src/testing/settings.ts";
import { simulatedEnvironment } from "../../src/testing/simulated-environment.ts";
import { VirtualClock } from "../../src/testing/virtual-clock.ts";
import { KeyWallet } from "../../src/wallet/key-wallet.ts";

/** Start time of the node: 2026-01-01. */
export const START = Date.UTC(2026, 0, 1);
const VERSION = "1.0.0";

export interface ExampleNode {
  readonly node: Node;
  readonly clock: VirtualClock;
  readonly server: FastifyInstance;
}

/** Starts the node with the network's wallet and open key routes. */
export async function exampleNode(): Promise<ExampleNode> {
  const clock = new VirtualClock(START);
  let server: FastifyInstance | undefined;
  const environment = simulatedEnvironment({
    clock,
    // Like a node of this network at its first start.
    wallet: new KeyWallet(
      {
        seed: encodeUtf8(DEV_SEED_TEXT),
        accountSeeds: [accountSeed(encodeUtf8(DEV_SEED_TEXT), 0)],
        nonce: 0,
      },
      dev.chainId,
      async () => {},
    ),
    store: memoryStore(),
    http: {
      async serve({ settings, rules, trust, store, control, events, clock, log }) {
        const reader = tickReader(store, readerContext(settings, rules, trust));
        const info = { ...apiInfo(settings, { store: "example", trustRoot: undefined }), version: VERSION };
        const made = await createServer({ reader, control, events, info, clock, log });
        server = made;
        return { url: "http://node", port: 0, ended: new Promise(() => {}), close: () => made.close() };
      },
      async abandon() {},
    },
  });
  const node = await startNode(environment, settingsOf(dev));
  if (server === undefined) throw new Error("the node has no HTTP server");
  return { node, clock, server };
}
