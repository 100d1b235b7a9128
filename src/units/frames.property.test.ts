import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ChainCursor, SourceDescription, UnitFrame, UnitRecord } from "../interfaces.ts";
import { STREAM_VERSION } from "./description.ts";
import { decodeFrame, encodeFrame, FrameDecoder, MAX_FRAME_BYTES } from "./frames.ts";
import { UnitSourceError } from "./source-error.ts";

const bytesOf = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const u32 = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const u16 = fc.integer({ min: 0, max: 2 ** 16 - 1 });
const id = fc.oneof(bytesOf(64), bytesOf(0));
const cursor: fc.Arbitrary<ChainCursor> = fc.record({ height: u32, sequence: u16, id });

const record: fc.Arbitrary<UnitRecord> = fc.record({
  kind: fc.constantFrom("block", "micro", "persist"),
  height: u32,
  sequence: u16,
  id,
  parent: id,
  bytes: fc.uint8Array({ maxLength: 300 }),
  arrivedAt: fc.maxSafeInteger(),
  isParentPersisted: fc.boolean(),
  digest: fc.option(bytesOf(32), { nil: undefined }),
});

const description: fc.Arbitrary<SourceDescription> = fc
  .record({
    program: fc.string(),
    network: fc.record({ name: fc.string(), chainId: fc.integer(), genesis: bytesOf(64) }),
    store: fc.string(),
    settings: fc.dictionary(fc.stringMatching(/^[a-z][a-z-]{0,9}$/), fc.string(), { maxKeys: 5 }),
    trustRoot: fc.option(bytesOf(26), { nil: undefined }),
  })
  .map((rest) => ({ version: STREAM_VERSION, ...rest }));

const frame: fc.Arbitrary<UnitFrame> = fc.oneof(
  record.map((record) => ({ kind: "unit", record }) as const),
  cursor.map((to) => ({ kind: "undo", to }) as const),
  fc.record({
    kind: fc.constant("tip" as const),
    cursor,
    score: fc.bigInt({ min: 0n, max: 2n ** 512n - 1n }),
    persistedHeight: u32,
  }),
  description.map((description) => ({ kind: "source", description }) as const),
  fc.constant({ kind: "heartbeat" } as const),
);

/** Cuts bytes into pieces of the given lengths, repeated. */
function* piecesOf(bytes: Uint8Array, lengths: readonly number[]): Generator<Uint8Array> {
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const end = at + lengths[i % lengths.length];
    yield bytes.subarray(at, end);
    at = end;
  }
}

function decodeAll(bytes: Uint8Array, lengths: readonly number[]): UnitFrame[] {
  const decoder = new FrameDecoder("test");
  return [...piecesOf(bytes, lengths)].flatMap((piece) => [...decoder.decode(piece)]);
}

const faultOf = (decode: () => unknown): string | undefined => {
  try {
    decode();
    return undefined;
  } catch (error) {
    if (error instanceof UnitSourceError) return error.fault;
    throw error;
  }
};

describe("frames", () => {
  test("decode to what was encoded, from pieces of any length", () => {
    const lengths = fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 6 }), lengths, (frames, lengths) => {
        const bytes = Buffer.concat(frames.map(encodeFrame));
        expect(decodeAll(bytes, lengths)).toEqual(frames);
      }),
    );
  });

  test("are not views of the received bytes", () => {
    const original = encodeFrame({
      kind: "undo",
      to: { height: 2, sequence: 1, id: new Uint8Array(64).fill(7) },
    });
    const received = original.slice();
    const [decoded] = new FrameDecoder("test").decode(received);
    received.fill(0);
    expect(encodeFrame(decoded)).toEqual(original);
  });

  test("of hostile bytes are refused as malformed, or decode", () => {
    const hostile = fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 200 }),
      // A frame with one changed byte, or cut off.
      fc.tuple(frame, fc.nat(), fc.nat(255), fc.nat()).map(([frame, at, value, end]) => {
        const body = encodeFrame(frame).slice(4);
        body[at % body.length] = value;
        return body.subarray(0, 1 + (end % body.length));
      }),
    );
    fc.assert(
      fc.property(hostile, (bytes) => {
        expect([undefined, "malformed", "other version"]).toContain(
          faultOf(() => decodeFrame(bytes, "test")),
        );
      }),
      { numRuns: 500 },
    );
  });

  test("above the limit are refused from their length, before their bytes arrive", () => {
    const header = new Uint8Array(4);
    const view = new DataView(header.buffer);
    for (const length of [MAX_FRAME_BYTES + 1, 2 ** 31, 2 ** 32 - 1]) {
      view.setUint32(0, length);
      for (const size of [1, 4]) expect(faultOf(() => decodeAll(header, [size]))).toBe("malformed");
    }
    view.setUint32(0, MAX_FRAME_BYTES);
    const decoder = new FrameDecoder("test");
    expect([...decoder.decode(header)]).toEqual([]);
    expect(decoder.heldBytes).toBe(4);
    const big = { ...fc.sample(record, 1)[0], bytes: new Uint8Array(MAX_FRAME_BYTES) };
    expect(() => encodeFrame({ kind: "unit", record: big })).toThrow("exceeds");
  });

  test("with an invalid name of a setting are refused", () => {
    const text = '{"version":1,"program":"","network":{"name":"","chainId":1},"settings":{"__proto__":"x"}}';
    expect(faultOf(() => decodeFrame(Buffer.from(`\u0001${text}`), "test"))).toBe("malformed");
  });

  test("of another version are refused by name, whatever else they contain", () => {
    const text = JSON.stringify({ version: STREAM_VERSION + 1, program: "other", network: 7 });
    const body = Buffer.concat([Uint8Array.of(1), Buffer.from(text)]);
    expect(faultOf(() => decodeFrame(body, "test"))).toBe("other version");
  });
});
