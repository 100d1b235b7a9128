/** Identities with many statements are answered by a reader thread. */
import { expect, test } from "vitest";
import { dev } from "../../../profiles/index.ts";
import { VirtualClock } from "../../../testing/virtual-clock.ts";
import { answerRead } from "../../reading/answer-reads.ts";
import { replyOf, toReadJob } from "../../reading/read-jobs.ts";
import type { ReaderThread } from "../../reading/reader-queue.ts";
import { createServer } from "../../server/server.ts";
import { fakeControl } from "../../testing/control.ts";
import { memoryLog, testInfo, testServer } from "../../testing/server.ts";
import { fakeReader, fakeSnapshot, type SnapshotOverrides } from "../../testing/snapshot.ts";

const ADDRESS = "3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt";
const NOW = 1_700_000_000_000;

/** A chain with a long history of an identity that counts resolutions. */
function identityChain(records: number, isLasting: boolean) {
  const resolved: string[] = [];
  const facts: SnapshotOverrides = {
    state: () => "a state",
    identities: {
      countRecords: (_did, limit) => Math.min(records, limit),
      resolve(did, { now, versionTime }) {
        resolved.push(did);
        return {
          status: 200,
          didDocument: { id: did, now, versionTime: versionTime ?? null },
          didDocumentMetadata: {},
          didResolutionMetadata: {},
          ...(isLasting && { isCacheable: true }),
        };
      },
      answer({ did, now, parameters }) {
        resolved.push(did);
        const content = { id: did, now, parameters: parameters.map(([name, value]) => [name, value]) };
        return { content, metadata: {}, isDeactivated: false };
      },
    },
  };
  const reader = fakeReader(fakeSnapshot(facts));
  const info = testInfo();
  /** Copies everything as between threads. */
  const thread: ReaderThread = {
    read: async (read) =>
      replyOf(structuredClone(answerRead(structuredClone(toReadJob(read)), { reader, info }))),
    cancel() {},
  };
  return { reader, info, thread, resolved };
}

async function serverOf({ reader, info, thread }: Omit<ReturnType<typeof identityChain>, "resolved">) {
  const clock = new VirtualClock(NOW);
  const control = fakeControl([], dev.chainId);
  const events = { onCommit: () => () => {} };
  return createServer({ reader, control, events, info, clock, log: memoryLog(), readerThreads: [thread] });
}

const accepts = [
  "*/*",
  'application/ld+json;profile="https://w3id.org/did-resolution"',
  "application/did",
  "application/did-resolution",
  "application/did+cbor",
];
const urls = [
  `/identities/${ADDRESS}`,
  `/identifiers/did:lto:${ADDRESS}?versionTime=2020-01-01T00:00:00Z`,
  `/identities/${ADDRESS}/derived/2ecUjVz`,
  `/1.0/identifiers/did:lto:${ADDRESS}`,
];

test("answers long histories like short ones in every form", async () => {
  const [short, long] = [identityChain(49, false), identityChain(50, false)];
  const [here, there] = [await serverOf(short), await serverOf(long)];
  for (const url of urls)
    for (const accept of accepts) {
      const [expected, answer] = await Promise.all(
        [here, there].map((server) => server.inject({ url, headers: { accept } })),
      );
      expect(answer?.statusCode, `${url} ${accept}`).toEqual(expected?.statusCode);
      expect(answer?.body, `${url} ${accept}`).toEqual(expected?.body);
      expect({ ...answer?.headers, date: "" }).toEqual({ ...expected?.headers, date: "" });
    }
  expect(long.resolved).toEqual(short.resolved);
  await Promise.all([here.close(), there.close()]);
});

test("caches answers of reader threads by form, unless they depend on time", async () => {
  const [document, resolution, strict] = accepts.filter((_, i) => i !== 3);
  for (const isLasting of [true, false]) {
    const chain = identityChain(50, isLasting);
    const server = await serverOf(chain);
    const ask = (accept = document) => server.inject({ url: `/identities/${ADDRESS}`, headers: { accept } });
    const [first, second, third] = [await ask(), await ask(), await ask(resolution)];
    expect(second.body).toBe(first.body);
    expect(third.body).not.toBe(first.body);
    expect((await ask(resolution)).body).toBe(third.body);
    expect(chain.resolved).toHaveLength(isLasting ? 2 : 4);
    // The strict form depends on the time.
    await ask(strict);
    await ask(strict);
    expect(chain.resolved).toHaveLength(isLasting ? 4 : 6);
    await server.close();
  }
});

test("lists versions in pages, newest first, and names invalid parameters", async () => {
  const asked: [string, number][] = [];
  const server = await testServer({
    chain: {
      identities: {
        versions(did, now) {
          asked.push([did, now]);
          if (did === "x") return "invalidDid";
          return did === "y" ? "notFound" : { id: "did:lto:z", times: [1n, 5n, 7n] };
        },
      },
    },
  });
  const ask = (path: string) => server.inject({ url: `/identities/${path}` });
  const first = await ask(`${ADDRESS}/versions?limit=2`);
  expect(first.json()).toEqual({
    id: "did:lto:z",
    total: 3,
    versions: [
      { versionId: "7", timestamp: 7 },
      { versionId: "5", timestamp: 5 },
    ],
  });
  const second = await ask(`${ADDRESS}/versions?limit=2&cursor=${first.headers["x-next-cursor"]}`);
  expect(second.json()).toMatchObject({ total: 3, versions: [{ versionId: "1" }] });
  expect(second.headers["x-next-cursor"]).toBeUndefined();
  expect(asked[0]).toEqual([ADDRESS, NOW]);
  expect((await ask("x/versions")).json()).toEqual({ error: "invalidDid" });
  expect((await ask("y/versions")).statusCode).toBe(404);
  for (const query of ["cursor=x", "limit=1001", "limit=x"])
    expect((await ask(`${ADDRESS}/versions?${query}`)).statusCode).toBe(400);
  await server.close();
});

test("answers other requests while it computes a document with a long history", async () => {
  const { reader, info } = identityChain(50, true);
  let finish = (): void => {};
  const thread: ReaderThread = {
    read: () =>
      new Promise((_resolve, reject) => {
        finish = () => reject(new Error("the test has seen enough"));
      }),
    cancel() {},
  };
  const server = await serverOf({ reader, info, thread });
  let isDone = false;
  const long = server.inject({ url: `/identities/${ADDRESS}` }).then(({ statusCode }) => {
    isDone = true;
    return statusCode;
  });
  for (const url of ["/blocks/height", `/addresses/balance/${ADDRESS}`, "/hash/00"])
    expect((await server.inject({ url })).statusCode).toBeLessThan(500);
  expect(isDone).toBe(false);
  finish();
  expect(await long).toBe(500);
  await server.close();
});
