/**
 * Measures the most expensive known request of every route against a chain with much data: the processor time of each
 * kind of thread, which does not depend on the load of the machine (Linux only). The HTTP thread serves all clients:
 * the target is at most 50 ms of its time.
 */
import { readdirSync, readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { routes } from "../src/api/routes/all.ts";
import { encodeBase58, MAX_BASE58_BYTES } from "../src/bytes/base58.ts";
import { encodeBase64 } from "../src/bytes/base64.ts";
import { encodeHex } from "../src/bytes/hex.ts";
import { printJson } from "../src/bytes/json.ts";
import { addressOf, addressText } from "../src/crypto/addresses.ts";
import { networkIdentity } from "../src/node/composition.ts";
import { dev } from "../src/profiles/index.ts";
import { openStore } from "../src/storage/store.ts";
import { DevNode, keyPairOf, rootKeyPair } from "../src/testing/dev-node.ts";
import { type Transaction, transactionId, transactionJson } from "../src/transactions/index.ts";
import { appendBlock, DEAREST, freshAddress, hashOf, LTO, nextTime, signedOf } from "./dear-transactions.ts";
import { report } from "./figures.ts";
import { inHome, median, serve } from "./support.ts";

/** More than a window of generating balances. */
const HEIGHTS = 1_200;
/** Number of blocks with a mass transfer of 100 recipients and 10 KiB of data of one account. */
const CROWDED = 300;
/** Blocks of a megabyte at the end of the chain. */
const FULL = 3;
const WAITING = 100;
const TURNS = 5;
const WANTED_MS = 50;
const MEGABYTE = 1_048_576;

const cli = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
const rich = freshAddress("rich");
const root = addressOf(rootKeyPair.publicKey, dev.chainId);
const anchored = hashOf("anchored");
const script = DEAREST["set script"]?.(1).script as Uint8Array;

interface Known {
  readonly ids: readonly Uint8Array[];
  readonly transaction: Uint8Array;
  readonly lease: Uint8Array;
}

/**
 * Builds a chain in which one account has a change, a lease, an association, an anchor and a sponsor at each height.
 */
async function makeChain(home: string): Promise<Known> {
  const store = await openStore(join(home, "chain"), {
    network: networkIdentity(dev),
    rollbackDepth: dev.rollbackDepth,
  });
  const node = new DevNode({ store });
  const attachment = new Uint8Array(0);
  const sponsors = Array.from({ length: 100 }, (_, i) => keyPairOf(`sponsor ${i}`));
  const ids: Uint8Array[] = [];
  let transaction = new Uint8Array(0);
  let lease = new Uint8Array(0);
  for (let h = 0; h < HEIGHTS; h++) {
    const time = nextTime(node);
    const of = (name: string, members: Record<string, unknown>): Transaction => signedOf(name, members, time);
    const lent = of("lease", { recipient: rich, amount: 1n });
    const some = [
      of("transfer", { recipient: rich, amount: 1n, attachment }),
      lent,
      // An account that is a verification method of a DID.
      of("issue association", { associationType: 0x101n, recipient: freshAddress(`method ${h}`), data: [] }),
      of("issue association", { associationType: 1n, recipient: rich, subject: hashOf(`${h}`), data: [] }),
      of("anchor", { anchors: [anchored, hashOf(`anchor ${h}`)] }),
      of("mapped anchor", { anchors: [[anchored, hashOf(`mapped ${h}`)]] }),
      of("data", {
        data: [
          {
            key: `did:service:${h}`,
            type: "string",
            value: `{"id":"s${h}","type":"T","serviceEndpoint":"x"}`,
          },
        ],
      }),
    ];
    if (h < CROWDED) {
      some.push(
        of("mass transfer", DEAREST["mass transfer"]?.(h) ?? {}),
        of("data", DEAREST.data?.(h) ?? {}),
      );
      some.push(of("register", DEAREST.register?.(h) ?? {}));
    }
    if (h === CROWDED) {
      const transfers = sponsors.map(({ publicKey }) => ({
        recipient: addressOf(publicKey, dev.chainId),
        amount: 200n * LTO,
      }));
      some.push(of("mass transfer", { transfers, attachment }));
    }
    if (h === CROWDED + 1)
      for (const sponsor of sponsors) some.push(signedOf("sponsorship", { recipient: rich }, time, sponsor));
    ids.push(appendBlock(node, time, some));
    lease = transactionId(lent).slice();
  }
  for (let h = 0; h < FULL; h++) {
    const time = nextTime(node);
    const full = Array.from({ length: 100 }, (_, i) =>
      signedOf("data", DEAREST.data?.(CROWDED + 100 * h + i) ?? {}, time),
    );
    transaction = transactionId(full[0] as Transaction).slice();
    ids.push(appendBlock(node, time, full));
  }
  await store.close();
  return { ids, transaction, lease };
}

interface Request {
  readonly path: string;
  readonly body?: string;
  /** Sent only once, because it changes the node's state. */
  readonly once?: true;
}

/** A JSON list of about a megabyte: as many elements as fit. */
function listOf(element: (i: number) => string): string {
  const parts: string[] = [];
  for (let length = 2, i = 0; ; i++) {
    const part = element(i);
    length += part.length + 1;
    if (length > MEGABYTE) return `[${parts.join(",")}]`;
    parts.push(part);
  }
}

const spaces = (text: string): string => text + " ".repeat(MEGABYTE - text.length);

/** The most expensive known request of each route, by method and path. */
function worstRequests({ ids, transaction, lease }: Known, last: Transaction): Record<string, Request> {
  const address = addressText(root);
  const far = encodeBase58(ids[0] as Uint8Array);
  const near = encodeBase58(ids.at(-1) as Uint8Array);
  const full = HEIGHTS + 2;
  const plain = (path: string): Request => ({ path });
  const hash = encodeHex(anchored);
  const dear = printJson(transactionJson(last));
  const message = encodeBase58(new Uint8Array(MAX_BASE58_BYTES).fill(255));
  const signature = encodeBase58(new Uint8Array(64).fill(1));
  const key = encodeBase58(rootKeyPair.publicKey);
  const verify = `{"message":"${message}","signature":"${signature}","publickey":"${key}"}`;
  const text = "x".repeat(MEGABYTE);
  const transferOf = `{"type":4,"fee":100000000,"sender":"${address}","recipient":"${addressText(rich)}","amount":1}`;
  const encoded = `base64:${encodeBase64(script)}`;
  return {
    "GET /blocks/height/:signature": plain(`/blocks/height/${far}`),
    "GET /blocks/at/:height": plain(`/blocks/at/${full}`),
    "GET /blocks/seq/:from/:to": plain(`/blocks/seq/${full - 99}/${full}`),
    "GET /blocks/address/:address/:from/:to": plain(`/blocks/address/${address}/${full - 99}/${full}`),
    "GET /blocks/signature/:signature": plain(`/blocks/signature/${near}`),
    "GET /blocks/child/:signature": plain(`/blocks/child/${encodeBase58(ids.at(-2) as Uint8Array)}`),
    "GET /blocks/delay/:signature/:blockNum": plain(`/blocks/delay/${near}/${HEIGHTS}`),
    "GET /blocks/headers/at/:height": plain(`/blocks/headers/at/${full}`),
    "GET /blocks/headers/seq/:from/:to": plain(`/blocks/headers/seq/${full - 99}/${full}`),
    "POST /blocks/checkpoint": {
      path: "/blocks/checkpoint",
      body: `{"signature":"${signature}","history":${listOf((n) => `[${n},"${signature}"]`).slice(0, -200)}`,
    },
    "POST /hash": { path: "/hash", body: `{"hash":"${hash}"}`, once: true },
    "POST /hash/verify": {
      path: "/hash/verify",
      body: `{${listOf((i) => `"k${i}":"${encodeHex(hashOf(`anchor ${i}`))}"`).slice(1, -1)}}`,
    },
    "GET /hash/:hash": plain(`/hash/${hash}`),
    "GET /hash/:hash/encoding/:encoding": plain(`/hash/${hash}/encoding/hex`),
    "GET /identities/:address": plain(`/identities/${address}`),
    "GET /identities/:address/derived/:secret": plain(`/identities/${address}/derived/${"x".repeat(1_000)}`),
    "GET /identifiers/:did": plain(`/identifiers/did:lto:${address}`),
    "GET /trust/:address": plain(`/trust/${addressText(rich)}`),
    "GET /addresses/validate/:address": plain(`/addresses/validate/${"z".repeat(2_000)}`),
    "GET /addresses/balance/:address/:confirmations": plain(`/addresses/balance/${address}/100`),
    "GET /addresses/effectiveBalance/:address/:confirmations": plain(
      `/addresses/effectiveBalance/${address}/100`,
    ),
    "GET /addresses/data/:address/:key": plain(`/addresses/data/${address}/${"x".repeat(2_000)}`),
    "GET /addresses/publicKey/:publicKey": plain(`/addresses/publicKey/${"z".repeat(2_000)}`),
    "POST /addresses/verify/:address": { path: `/addresses/verify/${address}`, body: verify },
    "POST /addresses/verifyText/:address": {
      path: `/addresses/verifyText/${address}`,
      body: `{"message":"${"€".repeat(300_000)}","signature":"${signature}","publickey":"${key}"}`,
    },
    "POST /leasing/lease": {
      path: "/leasing/lease",
      body: `{"fee":100000000,"sender":"${address}","recipient":"${addressText(rich)}","amount":1}`,
    },
    "POST /leasing/cancel": {
      path: "/leasing/cancel",
      body: `{"fee":100000000,"sender":"${address}","leaseId":"${encodeBase58(lease)}"}`,
    },
    "GET /wallet/addresses/seq/:from/:to": plain("/wallet/addresses/seq/0/999"),
    "DELETE /wallet/addresses/:address": { path: `/wallet/addresses/${addressText(rich)}` },
    "POST /wallet/addresses": { path: "/wallet/addresses" },
    "POST /wallet/sign/:address": { path: `/wallet/sign/${address}`, body: message },
    "POST /wallet/signText/:address": { path: `/wallet/signText/${address}`, body: text },
    "GET /transactions/address/:address": plain(`/transactions/address/${address}?limit=1000`),
    "GET /transactions/address/:address/limit": plain(`/transactions/address/${address}/limit`),
    "GET /transactions/address/:address/limit/:limit": plain(`/transactions/address/${address}/limit/1000`),
    "GET /transactions/info/:id": plain(`/transactions/info/${encodeBase58(transaction)}`),
    "GET /transactions/unconfirmed/info/:id": plain(
      `/transactions/unconfirmed/info/${encodeBase58(transactionId(last))}`,
    ),
    "POST /transactions/calculateFee": { path: "/transactions/calculateFee", body: spaces(dear) },
    "POST /transactions/broadcast": { path: "/transactions/broadcast", body: spaces(dear) },
    "POST /transactions/sign": { path: "/transactions/sign", body: spaces(transferOf) },
    "POST /transactions/submit": { path: "/transactions/submit", body: spaces(transferOf) },
    "POST /transactions/submit/:type": { path: "/transactions/submit/transfer", body: spaces(transferOf) },
    "GET /transactions/addresses/:address": plain(`/transactions/addresses/${address}?limit=100&type=burn`),
    "GET /consensus/basetarget/:blockId": plain(`/consensus/basetarget/${far}`),
    "GET /consensus/generationsignature/:blockId": plain(`/consensus/generationsignature/${far}`),
    "GET /supply/at/:height": plain(`/supply/at/${HEIGHTS}`),
    "POST /fees/vote": { path: "/fees/vote", body: '{"status":"MAINTAIN"}' },
    "POST /utils/hash/secure": { path: "/utils/hash/secure", body: text },
    "POST /utils/hash/fast": { path: "/utils/hash/fast", body: text },
    "POST /utils/script/compile": { path: "/utils/script/compile", body: `${"(".repeat(10_000)}true` },
    "POST /utils/script/estimate": { path: "/utils/script/estimate", body: encoded },
    "POST /peers/connect": { path: "/peers/connect", body: '{"host":"127.0.0.1","port":1}' },
    "GET /debug/blocks/:howMany": plain("/debug/blocks/1000"),
    "GET /debug/stateAtHeight/:height": plain("/debug/stateAtHeight/2"),
    "GET /debug/portfolios/:address": plain(`/debug/portfolios/${address}?considerUnspent=true`),
    "GET /debug/configInfo": plain("/debug/configInfo?full=true"),
    "POST /debug/print": { path: "/debug/print", body: `{"message":"${"x".repeat(MEGABYTE - 20)}"}` },
    "POST /debug/blacklist": { path: "/debug/blacklist", body: "127.0.0.1:1" },
    "POST /debug/rollback": {
      path: "/debug/rollback",
      body: `{"rollbackTo":${HEIGHTS - 500},"returnTransactionsToUtx":false}`,
      once: true,
    },
    "DELETE /debug/rollback-to/:signature": {
      path: `/debug/rollback-to/${encodeBase58(ids[HEIGHTS - 600] as Uint8Array)}`,
      once: true,
    },
    "POST /node/stop": { path: "/node/stop", once: true },
  };
}

/** Routes that change the chain come last. */
const LAST = ["/debug/rollback", "/debug/rollback-to/:signature", "/node/stop"];

const agent = new Agent({ keepAlive: true, maxSockets: 4 });

function ask(
  url: string,
  method: string,
  path: string,
  body?: string,
): Promise<{ readonly status: number; readonly bytes: number }> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json" };
    const asked = request(url + path, { method, agent, headers }, (answer) => {
      let bytes = 0;
      answer.on("data", (part: Buffer) => {
        bytes += part.length;
      });
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, bytes }));
      answer.on("error", reject);
    });
    asked.on("error", reject);
    asked.end(body);
  });
}

await inHome(async (home) => {
  const begun = performance.now();
  const known = await makeChain(home);
  console.log(
    `${HEIGHTS + FULL} blocks made in ${((performance.now() - begun) / 1_000).toFixed(0)} s; CPU ms of a request, median of ${TURNS}`,
  );
  const args = [cli, "start", "--data-dir", home, "--api-port", "0", "--no-forge"];
  const { url, process: child } = await serve(args);
  const folder = `/proc/${child.pid}/task`;
  /** Processor time of each thread, ms. */
  const times = (): Map<string, number> =>
    new Map(
      readdirSync(folder).map((thread) => [
        thread,
        Number(readFileSync(join(folder, thread, "schedstat"), "utf8").split(" ")[0]) / 1e6,
      ]),
    );
  /** Processor time of each thread during a task. */
  async function spent(work: () => Promise<void>): Promise<Map<string, number>> {
    const before = times();
    await work();
    return new Map([...times()].map(([thread, ms]) => [thread, ms - (before.get(thread) ?? 0)]));
  }
  const busiest = (of: Map<string, number>, but: readonly string[]): string =>
    [...of].filter(([thread]) => !but.includes(thread)).sort((a, b) => b[1] - a[1])[0]?.[0] ?? "";
  const again = async (count: number, method: string, path: string, body?: string): Promise<void> => {
    for (let i = 0; i < count; i++) await ask(url, method, path, body);
  };
  const writer = String(child.pid);
  const http = busiest(await spent(() => again(2_000, "GET", "/blocks/headers/last")), [writer]);
  const address = addressText(root);
  const reader = busiest(await spent(() => again(5, "GET", `/blocks/seq/${HEIGHTS - 90}/${HEIGHTS}`)), [
    writer,
    http,
  ]);
  const waiting = Array.from({ length: WAITING }, (_, i) =>
    signedOf("data", DEAREST.data?.(10_000 + i) ?? {}, BigInt(Date.now())),
  );
  for (const transaction of waiting)
    await ask(url, "POST", "/transactions/broadcast", printJson(transactionJson(transaction)));
  const last = waiting[0] as Transaction;
  const worst = worstRequests(known, last);
  const ordered = [...routes].sort((a, b) => LAST.indexOf(a.path) - LAST.indexOf(b.path));
  const rows: { readonly name: string; readonly http: number; readonly line: string }[] = [];
  for (const { method, path } of ordered) {
    const name = `${method} ${path}`;
    const asked = worst[name] ?? { path: path.replace(":address", address) };
    if (asked.path.includes(":/")) throw new Error(`No request for ${name}`);
    let answer = { status: 0, bytes: 0 };
    const turns: Map<string, number>[] = [];
    const walls: number[] = [];
    for (let i = 0; i < (asked.once ? 1 : TURNS); i++) {
      const start = performance.now();
      turns.push(
        await spent(async () => {
          answer = await ask(url, method, asked.path, asked.body);
          walls.push(performance.now() - start);
          // Include work that the node does after the answer, unless the node has ended.
          await delay(asked.path === "/node/stop" ? 0 : 5);
        }).catch(() => new Map<string, number>()),
      );
    }
    const of = (thread: string): number => median(turns.map((turn) => turn.get(thread) ?? 0));
    const rest = median(
      turns.map((turn) =>
        [...turn].reduce(
          (sum, [id, ms]) => (id === writer || id === http || id === reader ? sum : sum + ms),
          0,
        ),
      ),
    );
    const show = (ms: number): string => ms.toFixed(1).padStart(8);
    rows.push({
      name,
      http: of(http),
      line: `${name.padEnd(58)} ${String(answer.status).padStart(3)} ${String(answer.bytes).padStart(9)} ${show(of(http))} ${show(of(reader))} ${show(of(writer))} ${show(rest)} ${show(median(walls))}`,
    });
  }
  console.log(`${"route".padEnd(58)} status  bytes     HTTP  reading   writer     rest     wall`);
  for (const { line } of rows.sort((a, b) => b.http - a.http)) console.log(line);
  const over = rows.filter((row) => row.http > WANTED_MS);
  const name = `routes that block the HTTP thread for more than ${WANTED_MS} ms`;
  report(name, over.length, "routes", { atMost: 0 }, `${rows.length} routes`);
  agent.destroy();
  child.kill("SIGTERM");
});
