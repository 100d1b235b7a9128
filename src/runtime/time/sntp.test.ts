/** A time server on loopback, and the handling of its answers. Page 03 §8.6. */
import { createSocket } from "node:dgram";
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { SeededRandom } from "../../testing/seeded-random.ts";
import { silentLog } from "../../testing/silent-log.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { systemClock } from "../system.ts";
import { ClockOffset, correctedClock } from "./corrected-clock.ts";
import { NetworkTime } from "./network-time.ts";
import { askTimeServer } from "./sntp-client.ts";
import { buildTimeRequest, parseTimeAnswer, type TimeAnswer, TimeAnswerError } from "./sntp-packet.ts";

const EPOCH = 2_208_988_800;

/** An answer as a server writes it, with its clock at these times, ms since 1970. */
function answerTo(question: Uint8Array, received: number, sent: number): Uint8Array {
  const bytes = new Uint8Array(48);
  const view = new DataView(bytes.buffer);
  bytes[0] = (4 << 3) | 4;
  bytes[1] = 2;
  bytes.set(question.subarray(40, 48), 24);
  for (const [at, time] of [
    [32, received],
    [40, sent],
  ]) {
    view.setUint32(at, (Math.floor(time / 1_000) + EPOCH) % 2 ** 32);
    view.setUint32(at + 4, Math.floor(((time % 1_000) / 1_000) * 2 ** 32));
  }
  return bytes;
}

const mark = new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8]);

describe("an answer", () => {
  test("gives the offset of the clock, whatever the delay", () => {
    const time = fc.integer({ min: 0, max: 4_000_000_000_000 });
    const span = fc.integer({ min: 0, max: 5_000 });
    fc.assert(
      fc.property(
        time,
        fc.integer({ min: -1_000_000, max: 1_000_000 }),
        span,
        span,
        (now, offset, way, work) => {
          const received = now + offset + way;
          fc.pre(received >= 0);
          const bytes = answerTo(buildTimeRequest(mark), received, received + work);
          const answer = parseTimeAnswer(bytes, mark, now, now + 2 * way + work);
          expect(Math.abs(answer.offsetMs - offset)).toBeLessThan(0.01);
          expect(Math.abs(answer.delayMs - 2 * way)).toBeLessThan(0.01);
        },
      ),
      { seed: 1 },
    );
  });

  const good = answerTo(buildTimeRequest(mark), 1_000_000, 1_000_001);
  const changed = (change: (bytes: Uint8Array) => void): Uint8Array => {
    const bytes = good.slice();
    change(bytes);
    return bytes;
  };
  test.each([
    ["is too short", good.slice(0, 47), false],
    ["answers another question", changed((bytes) => bytes.set([9], 24)), false],
    ["is a question", changed((bytes) => bytes.set([(4 << 3) | 3], 0)), false],
    [
      "comes from a server without the time",
      changed((bytes) => bytes.set([(3 << 6) | (4 << 3) | 4], 0)),
      false,
    ],
    ["comes from too far away", changed((bytes) => bytes.set([16], 1)), false],
    ["asks for peace", changed((bytes) => bytes.set([0], 1)), true],
    ["holds no time", changed((bytes) => bytes.fill(0, 40)), false],
    ["was sent before it was received", answerTo(buildTimeRequest(mark), 1_000_001, 1_000_000), false],
    ["worked longer than it was away", answerTo(buildTimeRequest(mark), 1_000_000, 1_000_100), false],
  ])("is rejected if it %s", (_, bytes, refused) => {
    expect(() => parseTimeAnswer(bytes, mark, 1_000_000, 1_000_002)).toThrow(TimeAnswerError);
    try {
      parseTimeAnswer(bytes, mark, 1_000_000, 1_000_002);
    } catch (error) {
      expect(error).toMatchObject({ isRateLimited: refused });
    }
  });

  test("of any bytes is parsed or an error", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        try {
          parseTimeAnswer(bytes, mark, 0, 1);
        } catch (error) {
          expect(error).toBeInstanceOf(TimeAnswerError);
        }
      }),
      { seed: 1 },
    );
  });
});

describe("a server on loopback", () => {
  const sockets: ReturnType<typeof createSocket>[] = [];
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.close();
  });

  async function server(answer: (question: Uint8Array) => Uint8Array[]): Promise<number> {
    const socket = createSocket("udp4");
    sockets.push(socket);
    socket.on("message", (question, { port, address }) => {
      for (const bytes of answer(question)) socket.send(bytes, port, address);
    });
    await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
    return socket.address().port;
  }

  /** One clock for both ends that is never set or slewed, unlike the machine's. */
  const clock = {
    now: () => 1_700_000_000_000 + systemClock.monotonic(),
    monotonic: () => systemClock.monotonic(),
    after: (ms: number, task: () => void) => systemClock.after(ms, task),
  };
  const ask = (port: number) => askTimeServer({ host: "127.0.0.1", port }, clock, new SeededRandom(1));

  test("is asked, and its answer parsed", async () => {
    const port = await server((question) => {
      const now = clock.now() + 3_600_000;
      return [answerTo(question, now, now)];
    });
    const { offsetMs, delayMs } = await ask(port);
    // An hour minus half the delay: as exact as the delay allows.
    expect(Math.abs(offsetMs - 3_600_000)).toBeLessThanOrEqual(delayMs / 2 + 2);
  });

  test("with another answer is an error", async () => {
    const port = await server(() => [new Uint8Array(3)]);
    await expect(ask(port)).rejects.toThrow(TimeAnswerError);
  });

  test("that does not exist is an error", async () => {
    const port = await server(() => []);
    await new Promise<void>((resolve) => sockets.splice(0)[0].close(() => resolve()));
    await expect(ask(port)).rejects.toThrow("ECONNREFUSED");
  });

  test("without an answer times out after five seconds", async () => {
    const port = await server(() => []);
    const clock = new VirtualClock(0);
    const asked = askTimeServer({ host: "127.0.0.1", port }, clock, new SeededRandom(1));
    const failed = expect(asked).rejects.toThrow("no answer within 5 s");
    while (!clock.step()) await new Promise((resolve) => setImmediate(resolve));
    expect(clock.now()).toBe(5_000);
    await failed;
  });
});

describe("network time", () => {
  /** Answers of the server in order; an error fails. */
  function open(answers: (TimeAnswer | Error)[]) {
    const clock = new VirtualClock(1_000_000);
    const offset = new ClockOffset();
    const said: string[] = [];
    const log = {
      ...silentLog,
      warn: (message: string) => {
        said.push(message);
      },
    };
    const asked: number[] = [];
    const time = new NetworkTime({
      clock,
      offset,
      log,
      server: "127.0.0.1:123",
      ask: async () => {
        asked.push(clock.monotonic() - 1_000_000);
        const next = answers.shift() ?? new Error("nothing more");
        if (next instanceof Error) throw next;
        return next;
      },
    });
    const pass = async (ms: number): Promise<void> => {
      clock.advance(ms);
      for (let i = 0; i < 10; i++) await Promise.resolve();
    };
    return { clock, offset, said, asked, time, pass };
  }
  const answer = (offsetMs: number, delayMs = 10): TimeAnswer => ({ offsetMs, delayMs });

  test("is polled each minute, and the answer with the shortest delay counts", async () => {
    const { time, offset, asked, pass, clock } = open([answer(40, 20), answer(90, 200), answer(30, 10)]);
    await time.start();
    expect(offset.ms).toBe(40);
    expect(correctedClock(clock, offset).now()).toBe(1_000_040);
    expect(clock.now()).toBe(1_000_000);
    expect(correctedClock(clock, offset).system()).toBe(1_000_000);
    await pass(60_000);
    expect(offset.ms).toBe(40);
    await pass(60_000);
    expect(offset.ms).toBe(30);
    expect(asked).toEqual([0, 60_000, 120_000]);
    time.stop();
    expect(clock.pending).toBe(0);
  });

  test("drops answers from before the clock was set", async () => {
    const { time, offset, pass, clock } = open([answer(0, 1), answer(-5_000, 50)]);
    await time.start();
    clock.set(clock.now() + 5_000);
    await pass(60_000);
    expect(offset.ms).toBe(-5_000);
    time.stop();
  });

  test("rejects an offset above a thousand seconds", async () => {
    const { time, offset, said, pass, asked } = open([
      answer(1_000_001),
      answer(1_000_000),
      answer(-1_000_001),
    ]);
    await time.start();
    expect(offset.ms).toBe(0);
    expect(said).toEqual([
      "No usable answer from the time server 127.0.0.1:123: the clock correction does not change",
    ]);
    await pass(10_000);
    expect(offset.ms).toBe(1_000_000);
    await pass(60_000);
    expect(offset.ms).toBe(1_000_000);
    expect(asked).toEqual([0, 10_000, 70_000]);
    time.stop();
  });

  test("logs a relevant offset once and a failure once", async () => {
    const { time, said, pass } = open([
      answer(99),
      answer(150, 1),
      answer(160, 1),
      new Error("gone"),
      new Error("gone"),
    ]);
    await time.start();
    for (let i = 0; i < 4; i++) await pass(60_000);
    expect(said).toEqual([
      "This machine's clock is behind network time: the node corrects it",
      "No usable answer from the time server 127.0.0.1:123: the clock correction does not change",
    ]);
    time.stop();
  });

  test("is polled less often without answers or if the server asks for it", async () => {
    const failures = Array.from({ length: 8 }, () => new Error("no network"));
    const { time, asked, pass } = open(failures);
    await time.start();
    for (let i = 0; i < 6; i++) await pass(10_000);
    await pass(599_000);
    expect(asked).toHaveLength(7);
    await pass(1_000);
    expect(asked).toHaveLength(8);
    time.stop();
    const polite = open([new TimeAnswerError("less often", true), answer(5)]);
    await polite.time.start();
    await polite.pass(599_999);
    expect(polite.asked).toEqual([0]);
    await polite.pass(1);
    expect(polite.offset.ms).toBe(5);
    polite.time.stop();
  });

  test("shares its offset with other threads", () => {
    const offset = new ClockOffset();
    const other = new ClockOffset(offset.shared);
    offset.ms = -1_234.4;
    expect(other.ms).toBe(-1_234);
  });
});
