/** `Accept`: page 06 §2.3. `server.test.ts` tests which headers match. */
import { expect, it } from "vitest";
import { fakeControl } from "../../api/testing/control.ts";
import { API_KEY, memoryLog, NOW, testServer } from "../../api/testing/server.ts";
import { encodeUtf8 } from "../../bytes/utf8.ts";
import type { ControlMethod } from "../../control/define.ts";
import { controlTopics, type NodeControl } from "../../control/index.ts";
import { addressOf, addressText } from "../../crypto/addresses.ts";
import { keyPairFromSeed } from "../../crypto/seeds.ts";
import { dev } from "../../profiles/index.ts";
import { mapMethods, type RpcCall, type RpcCalls } from "../../runtime/rpc.ts";

const root = keyPairFromSeed(encodeUtf8("root"));
const address = addressText(addressOf(root.publicKey, dev.chainId));

it("is checked before the request has an effect", async () => {
  const done: string[] = [];
  const told = fakeControl([root], dev.chainId);
  const calls = told as unknown as RpcCalls;
  const control = mapMethods<ControlMethod, RpcCall>(controlTopics, (topic, name) => (...args: unknown[]) => {
    done.push(`${topic}.${name}`);
    return calls[topic][name](...args);
  }) as unknown as NodeControl;
  const log = memoryLog();
  const node = await testServer({ control, log });
  const transfer = {
    type: 4,
    version: 3,
    fee: 100_000_000,
    recipient: address,
    amount: 1,
    sender: address,
  };
  const signed = await node.inject({
    method: "POST",
    url: "/transactions/sign",
    headers: { "x-api-key": API_KEY },
    payload: { ...transfer, timestamp: NOW },
  });
  for (const [method, url, payload] of [
    ["POST", "/transactions/broadcast", signed.json()],
    ["POST", "/transactions/submit", transfer],
    ["POST", "/transactions/submit/transfer", transfer],
    ["POST", "/wallet/addresses", undefined],
    ["DELETE", `/wallet/addresses/${address}`, undefined],
    ["POST", "/fees/vote", { status: "increase" }],
    ["POST", "/blocks/checkpoint", { items: [], signature: "1".repeat(64) }],
    ["POST", "/debug/rollback", { rollbackTo: 1, returnTransactionsToUtx: false }],
    ["DELETE", `/debug/rollback-to/${"1".repeat(64)}`, undefined],
    ["POST", "/node/stop", undefined],
    ["POST", "/debug/print", { message: "written" }],
  ] as const) {
    const headers = { "x-api-key": API_KEY, accept: "image/png" };
    const answer = await node.inject({ method, url, headers, ...(payload && { payload }) });
    expect({ url, status: answer.statusCode }).toEqual({ url, status: 404 });
  }
  expect(done.filter((name) => name !== "wallet.accounts" && name !== "wallet.sign")).toEqual([]);
  // Each use of the key is logged, whatever the answer is.
  expect(log.lines.filter((line) => !line.startsWith("API key used"))).toEqual([]);
  await node.close();
});
