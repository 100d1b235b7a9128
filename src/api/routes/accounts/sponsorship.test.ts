/** Accounts with many sponsors are answered by a reader thread. */
import { expect, test } from "vitest";
import { addressText } from "../../../crypto/addresses.ts";
import { dev } from "../../../profiles/index.ts";
import { VirtualClock } from "../../../testing/virtual-clock.ts";
import { answerRead } from "../../reading/answer-reads.ts";
import { replyOf, toReadJob } from "../../reading/read-jobs.ts";
import type { ReaderThread } from "../../reading/reader-queue.ts";
import { createServer } from "../../server/server.ts";
import { fakeControl } from "../../testing/control.ts";
import { memoryLog, testInfo } from "../../testing/server.ts";
import { fakeReader, fakeSnapshot } from "../../testing/snapshot.ts";

const ADDRESS = "3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt";

test.each([
  [0, 0],
  [999, 0],
  [1_000, 1],
])("the status of an account with %i sponsors is asked of a reader thread %i times", async (count, asked) => {
  const sponsors = Array.from({ length: count }, (_, i) => Uint8Array.of(...new Uint8Array(25), i));
  const reader = fakeReader(fakeSnapshot({ sponsors: { of: () => sponsors, count: () => count } }));
  const info = testInfo();
  let reads = 0;
  const thread: ReaderThread = {
    async read(read) {
      reads++;
      return replyOf(answerRead(toReadJob(read), { reader, info }));
    },
    cancel() {},
  };
  const server = await createServer({
    reader,
    control: fakeControl([], dev.chainId),
    events: { onCommit: () => () => {} },
    info,
    clock: new VirtualClock(0),
    log: memoryLog(),
    readerThreads: [thread],
  });
  const { statusCode, body } = await server.inject(`/sponsorship/status/${ADDRESS}`);
  expect(statusCode).toBe(200);
  expect(JSON.parse(body)).toEqual({ sponsor: sponsors.map(addressText) });
  expect(reads).toBe(asked);
  await server.close();
});
