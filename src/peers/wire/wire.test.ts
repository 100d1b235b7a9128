/** The byte stream between two nodes. Page 04 §5 to §8. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { concatBytes } from "../../bytes/compare.ts";
import { decodeHex, encodeHex } from "../../bytes/hex.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { handshakeArbitrary, messageArbitrary, pieces } from "./arbitrary.ts";
import { ConnectionDecoder, type Received } from "./connection-decoder.ts";
import { encodeFrame, FrameDecoder, MAX_OUTER_LENGTH } from "./frame.ts";
import {
  connectionKey,
  encodeHandshake,
  type Handshake,
  handshakeRefusal,
  MAX_HANDSHAKE_LENGTH,
  verifiedAddress,
} from "./handshake.ts";
import { encodePayload, messageDefinitions } from "./message-definitions.ts";
import type { Message } from "./messages.ts";
import { WireError } from "./wire-error.ts";

const handshake: Handshake = {
  applicationName: "ltoL",
  version: { major: 1, minor: 8, patch: 0 },
  nodeName: "my-node",
  nonce: 42n,
  declaredAddress: { host: "203.0.113.7", port: 6868 },
  time: 1_700_000_000n,
};
const getPeers = encodeFrame({ type: "GetPeers" });
const score = encodeFrame({ type: "Score", score: 128n });
const transaction = encodeFrame({ type: "Transaction", bytes: Uint8Array.of(1, 2, 3) });

function decoder(): { decoder: ConnectionDecoder; clock: VirtualClock } {
  const clock = new VirtualClock(0);
  return { decoder: new ConnectionDecoder(clock, 180_000), clock };
}

/** Returns the decoded messages, and the error that ends them, if any. */
function decodeAll(chunks: Iterable<Uint8Array>, by = decoder().decoder): (Received | WireError)[] {
  const out: (Received | WireError)[] = [];
  try {
    for (const chunk of chunks) for (const received of by.decode(chunk)) out.push(received);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    out.push(error);
  }
  return out;
}

const types = (received: readonly (Received | WireError)[]) =>
  received.map((one) => (one instanceof WireError ? one.message : one.type));

function* byteByByte(bytes: Uint8Array): Generator<Uint8Array> {
  for (const byte of bytes) yield Uint8Array.of(byte);
}

describe("messages", () => {
  test("are decoded as they were encoded, in pieces of any size", () => {
    const stream = fc.record({
      handshake: handshakeArbitrary,
      messages: fc.array(messageArbitrary, { maxLength: 5 }),
    });
    const arriving = stream.chain((sent) => {
      const bytes = concatBytes(
        encodeHandshake(sent.handshake),
        ...sent.messages.map((one) => encodeFrame(one)),
      );
      return pieces(bytes).map((chunks) => ({ ...sent, bytes, chunks }));
    });
    fc.assert(
      fc.property(arriving, ({ handshake, messages, bytes, chunks }) => {
        const expected = [{ type: "Handshake", handshake }, ...unrepeated(messages)];
        const whole = decodeAll([bytes]);
        expect(whole).toMatchObject(expected);
        expect(whole).toHaveLength(expected.length);
        expect(decodeAll(chunks)).toEqual(whole);
        // Kept messages encode to the same bytes.
        for (const one of whole)
          if (!(one instanceof WireError) && one.type !== "Handshake")
            expect(messages.map((message) => encodeHex(encodePayload(message)))).toContain(
              encodeHex(encodePayload(one)),
            );
      }),
      { seed: 1, numRuns: 100 },
    );
  });

  /** Shrinking may make the same transaction twice, which is decoded once. */
  function unrepeated(messages: readonly Message[]): Message[] {
    const seen = new Set<string>();
    return messages.filter((message) => {
      if (message.type !== "Transaction") return true;
      const key = encodeHex(message.bytes);
      return !seen.has(key) && seen.add(key);
    });
  }

  test("do not share memory with the received bytes", () => {
    const bytes = concatBytes(encodeHandshake(handshake), transaction);
    const [, received] = decodeAll([bytes]);
    bytes.fill(0);
    expect(received).toEqual({ type: "Transaction", bytes: Uint8Array.of(1, 2, 3) });
  });

  test("are not sent if peers would refuse them", () => {
    const id = new Uint8Array(64);
    const refused: Message[] = [
      { type: "GetSignatures", ids: Array(201).fill(id) },
      { type: "Signatures", ids: Array(201).fill(id) },
      { type: "Peers", addresses: Array(1_001).fill({ host: "203.0.113.7", port: 1 }) },
      { type: "Score", score: 2n ** 511n },
      { type: "Score", score: -1n },
      { type: "Checkpoint", checkpoint: { items: Array(10).fill({ height: 1, id }), signature: id } },
    ];
    for (const message of refused) expect(() => encodeFrame(message), message.type).toThrow(RangeError);
    // Addresses that do not fit the format are left out.
    const addresses = [
      { host: "2001:db8::1", port: 1 },
      { host: "example.org", port: 1 },
    ];
    expect(encodePayload({ type: "Peers", addresses })).toEqual(new Uint8Array(4));
  });

  test("fit in the largest frame", () => {
    for (const { type, limit } of Object.values(messageDefinitions))
      if (type !== "Block") expect(limit, type).toBeLessThan(MAX_OUTER_LENGTH - 13);
  });
});

describe("an error", () => {
  test("ends the stream: earlier messages come out, later ones do not", () => {
    const bad = decodeHex("00000009123456780300000000");
    const stream = concatBytes(encodeHandshake(handshake), score, bad, getPeers);
    const reason =
      "Malformed network message: java.lang.IllegalArgumentException: requirement failed: Unexpected message code 3";
    for (const chunks of [[stream], [...byteByByte(stream)]]) {
      const { decoder: by } = decoder();
      expect(types(decodeAll(chunks, by))).toEqual(["Handshake", "Score", reason]);
      expect(decodeAll([getPeers], by)).toEqual([]);
    }
  });

  test("ends the stream in a handshake and for a frame decoder; so does stopping early", () => {
    const { decoder: by } = decoder();
    expect(types(decodeAll([Uint8Array.of(0xff)], by))).toEqual(["An invalid application name's size: -1"]);
    expect(decodeAll([encodeHandshake(handshake)], by)).toEqual([]);
    const { decoder: refusing } = decoder();
    for (const { type } of refusing.decode(concatBytes(encodeHandshake(handshake), getPeers))) {
      expect(type).toBe("Handshake");
      break;
    }
    expect(decodeAll([getPeers], refusing)).toEqual([]);
    const frames = new FrameDecoder();
    expect(() => [...frames.decode(decodeHex("ffffffff"))]).toThrow(WireError);
    expect([...frames.decode(getPeers)]).toEqual([]);
  });

  test("ends the stream inside a frame, too", () => {
    // Two messages in one outer frame, the second with a wrong checksum, and a third.
    const inner = [score.subarray(4), score.slice(4), score.subarray(4)];
    inner[1][9] ^= 1;
    const outer = concatBytes(Uint8Array.of(0, 0, 0, inner[0].length * 3), ...inner);
    const received = decodeAll([encodeHandshake(handshake), outer, score]);
    expect(types(received).slice(1)).toEqual([
      "Score",
      "Malformed network message: java.lang.IllegalArgumentException: requirement failed: invalid checksum",
    ]);
  });

  test("is thrown for a malformed payload", () => {
    const { decoder: by } = decoder();
    const cut = encodeFrame({ type: "GetBlock", id: new Uint8Array(63) });
    const [, error] = decodeAll([encodeHandshake(handshake), cut], by);
    expect(error).toEqual(new WireError("Invalid message. requirement failed: Data does not match length"));
    expect(decodeAll([getPeers], by)).toEqual([]);
  });

  test("is thrown for a frame that is too long before it has arrived, without a ban", () => {
    for (const length of ["00200001", "063ffffc", "ffffffff"]) {
      const error = decodeAll([encodeHandshake(handshake), decodeHex(length)]).at(-1);
      expect(error).toBeInstanceOf(WireError);
      expect(error).toMatchObject({ penalty: "close" });
    }
    expect(types(decodeAll([encodeHandshake(handshake), decodeHex("00200000")]))).toEqual(["Handshake"]);
  });

  test("is the only thing that random bytes throw, and they are not kept", () => {
    const noise = fc.oneof(
      fc.uint8Array({ maxLength: 400 }),
      // Messages with some bytes changed.
      fc
        .tuple(messageArbitrary, fc.array(fc.tuple(fc.nat(600), fc.nat(255)), { minLength: 1, maxLength: 4 }))
        .map(([message, changes]) => {
          const frame = encodeFrame(message);
          for (const [at, byte] of changes) if (at < frame.length) frame[at] = byte;
          return frame;
        }),
      // Well-formed frames of any payload.
      fc
        .tuple(fc.constantFrom(...Object.values(messageDefinitions)), fc.uint8Array({ maxLength: 400 }))
        .map(([{ code }, payload]) => {
          const frame = encodeFrame({ type: "Transaction", bytes: payload });
          frame[8] = code;
          return frame;
        }),
    );
    fc.assert(
      fc.property(noise, fc.boolean(), (bytes, withHandshake) => {
        const { decoder: by } = decoder();
        if (withHandshake) decodeAll([encodeHandshake(handshake)], by);
        decodeAll([bytes], by);
        expect(by.heldBytes).toBeLessThanOrEqual(bytes.length);
      }),
      { seed: 1, numRuns: 2_000 },
    );
  });
});

describe("a frame that arrives slowly", () => {
  test("takes memory for the received bytes, not for the announced length", () => {
    const frames = new FrameDecoder();
    const before = process.memoryUsage().arrayBuffers;
    const many = Array.from({ length: 500 }, () => new FrameDecoder());
    for (const one of many) expect([...one.decode(decodeHex("0020000012"))]).toEqual([]);
    // The frame announces a thousand megabytes.
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10_000_000);
    expect([...frames.decode(decodeHex("0020000012"))]).toEqual([]);
    expect(frames.heldBytes).toBe(5);
  });

  test("costs no more in many pieces", () => {
    const bytes = new Uint8Array(20_000).fill(7);
    const frame = encodeFrame({ type: "Transaction", bytes });
    const frames = new FrameDecoder();
    const found = [...byteByByte(frame)].flatMap((byte) => [...frames.decode(byte)]);
    expect(found.map(({ payload }) => payload)).toEqual([bytes]);
    expect(frames.heldBytes).toBe(0);
  });

  test("may be empty", () => {
    const stream = concatBytes(new Uint8Array(4), score, new Uint8Array(8), getPeers);
    for (const chunks of [[stream], [...byteByByte(stream)]])
      expect(types(decodeAll([encodeHandshake(handshake), ...chunks])).slice(1)).toEqual([
        "Score",
        "GetPeers",
      ]);
  });
});

describe("transactions", () => {
  test("are decoded once in three minutes; a repetition does not renew the time", () => {
    const { decoder: by, clock } = decoder();
    decodeAll([encodeHandshake(handshake)], by);
    expect(types(decodeAll([transaction, transaction], by))).toEqual(["Transaction"]);
    clock.advance(179_999);
    expect(decodeAll([transaction], by)).toEqual([]);
    clock.advance(1);
    expect(types(decodeAll([transaction], by))).toEqual(["Transaction"]);
  });

  test("are remembered up to a limit", () => {
    const { decoder: by } = decoder();
    decodeAll([encodeHandshake(handshake)], by);
    const one = (i: number) =>
      encodeFrame({ type: "Transaction", bytes: new Uint8Array(Uint32Array.of(i).buffer) });
    for (let i = 0; i <= 10_000; i++) decodeAll([one(i)], by);
    expect(types(decodeAll([one(10_000), one(0)], by))).toEqual(["Transaction"]);
  });
});

describe("handshakes", () => {
  test("of maximum length are read", () => {
    const longest = encodeHandshake({
      ...handshake,
      applicationName: "a".repeat(127),
      nodeName: "n".repeat(127),
      declaredAddress: { host: "2001:db8::1", port: 65_535 },
    });
    expect(longest).toHaveLength(MAX_HANDSHAKE_LENGTH);
    expect(types(decodeAll(byteByByte(concatBytes(longest, getPeers))))).toEqual(["Handshake", "GetPeers"]);
    expect(() => encodeHandshake({ ...handshake, nodeName: "ю".repeat(64) })).toThrow(RangeError);
  });

  test("name an IPv4-mapped address by its IPv4 form, and no host names", () => {
    const mapped = encodeHandshake({
      ...handshake,
      declaredAddress: { host: "::ffff:203.0.113.7", port: 6868 },
    });
    expect(mapped).toEqual(encodeHandshake(handshake));
    const named = encodeHandshake({ ...handshake, declaredAddress: { host: "example.org", port: 6868 } });
    expect(named).toEqual(encodeHandshake({ ...handshake, declaredAddress: undefined }));
    // As 16 bytes on the wire.
    const bytes = decodeHex(
      `${encodeHex(encodeHandshake({ ...handshake, declaredAddress: undefined })).slice(0, -24)}` +
        "0000001400000000000000000000ffffcb00710700001ad4000000006553f100",
    );
    expect(decodeAll([bytes])).toEqual([{ type: "Handshake", handshake }]);
  });

  test("are refused for another network or an unknown version", () => {
    expect(handshakeRefusal(handshake, "ltoL")).toBeUndefined();
    expect(handshakeRefusal(handshake, "ltoT")).toEqual(
      new WireError("Remote application name ltoL does not match local ltoT"),
    );
    const version = { major: 2, minor: 0, patch: -1 };
    expect(handshakeRefusal({ ...handshake, version }, "ltoL")).toEqual(
      new WireError("Remote application version (2,0,-1) is not supported"),
    );
  });

  test("identify nodes by address and nonce, and are believed about their own address only", () => {
    expect(connectionKey("::ffff:1.2.3.4", handshake)).toBe(connectionKey("1.2.3.4", handshake));
    expect(connectionKey("1.2.3.4", handshake)).not.toBe(
      connectionKey("1.2.3.4", { ...handshake, nonce: 4n }),
    );
    expect(verifiedAddress("::ffff:203.0.113.7", handshake)).toEqual(handshake.declaredAddress);
    expect(verifiedAddress("203.0.113.8", handshake)).toBeUndefined();
    expect(verifiedAddress("203.0.113.7", { ...handshake, declaredAddress: undefined })).toBeUndefined();
  });
});
