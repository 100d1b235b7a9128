/** Recorded messages. Page 04 §6 to §8. */
import { describe, expect, test } from "vitest";
import {
  checkpointSigner,
  data,
  expectMembers,
  FILE,
  type FrameVector,
  section,
} from "../../../test/support/network-vectors.ts";
import { expectKnown, hasVectors } from "../../../test/vectors.ts";
import { blockBytes, blockUnsignedBytes, isBlockSigned } from "../../blocks/block.ts";
import { BlockParseError } from "../../blocks/errors.ts";
import { parseMicroBlock, totalBlock } from "../../blocks/testing/micro-blocks.ts";
import { parseBlock } from "../../blocks/testing/parse-block.ts";
import { decodeBase58, encodeBase58 } from "../../bytes/base58.ts";
import { concatBytes } from "../../bytes/compare.ts";
import { decodeHex, encodeHex } from "../../bytes/hex.ts";
import { addressOf, addressText } from "../../crypto/addresses.ts";
import { fastHash, sha256 } from "../../crypto/hashes.ts";
import { keyPairFromAccountSeed } from "../../crypto/seeds.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { parseTransaction, TransactionParseError } from "../../transactions/index.ts";
import { factsOf, NETWORKS } from "../testing/message-facts.ts";
import { ConnectionDecoder, type Received } from "./connection-decoder.ts";
import { encodeFrame, type Frame, FrameDecoder, MAX_OUTER_LENGTH } from "./frame.ts";
import { decodePayload, definitionByCode, encodePayload, messageDefinitions } from "./message-definitions.ts";
import type { ReceivedMessage } from "./messages.ts";
import { invalidMessage, WireError } from "./wire-error.ts";

/** The decoded frame, or the error. */
function decodeFrames(bytes: Uint8Array): (Frame | WireError)[] {
  const out: (Frame | WireError)[] = [];
  try {
    for (const frame of new FrameDecoder().decode(bytes)) out.push(frame);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    out.push(error);
  }
  return out;
}

/** The decoded message, with transactions parsed as its handlers do. */
function read(code: number, payload: Uint8Array): ReceivedMessage | WireError {
  const definition = definitionByCode(code);
  if (definition === undefined) throw new Error(`code ${code}`);
  try {
    const message = decodePayload(definition, payload);
    if (message.type === "Transaction") parseTransaction(message.bytes, NETWORKS.T);
    if (message.type === "Block") parseBlock(message.bytes, NETWORKS.T);
    if (message.type === "MicroBlockResponse") parseMicroBlock(message.bytes, NETWORKS.T);
    return message;
  } catch (error) {
    if (error instanceof WireError) return error;
    if (error instanceof TransactionParseError || error instanceof BlockParseError)
      return invalidMessage(error.message);
    throw error;
  }
}

describe.skipIf(!hasVectors(FILE))(FILE, () => {
  test("has known sections only", () => {
    expectKnown(
      Object.keys(data),
      [
        "meta",
        "primitives",
        "accounts",
        "handshake",
        "frames",
        "frames_invalid",
        "payloads_invalid",
        "streams",
        "liquid_block_chain",
        "checkpoint_history_points",
        "checkpoint_settings_signatures",
        "limits",
        "codes",
        // These two: `src/peers/peers.conformance.test.ts`.
        "scenarios",
        "peers_file",
      ],
      FILE,
    );
  });

  // This node never issues a checkpoint, so nothing in it chooses heights for one.
  test.skip("checkpoint_history_points", () => undefined);

  section("primitives", data.primitives, ({ fast_hash, not_this }) => {
    test("are the hash of checksums", () => {
      for (const { input, digest } of fast_hash) expect(encodeHex(fastHash(decodeHex(input)))).toBe(digest);
      for (const { digest } of fast_hash) expect(digest.slice(0, 8)).not.toBe(not_this.value);
    });
  });

  section("accounts", data.accounts, (accounts) => {
    test.each(accounts)("$name", (account) => {
      expectMembers(
        [account],
        ...["account_seed", "private_key_seed", "public_key", "address_T", "address_L", "address_T_bytes"],
      );
      const seed = decodeHex(account.account_seed);
      const { publicKey } = keyPairFromAccountSeed(seed);
      expect(encodeHex(sha256(seed))).toBe(account.private_key_seed);
      expect(encodeHex(publicKey)).toBe(account.public_key);
      const address = addressOf(publicKey, NETWORKS.T.chainId);
      expect(encodeHex(address)).toBe(account.address_T_bytes);
      expect(addressText(address)).toBe(account.address_T);
      expect(addressText(addressOf(publicKey, NETWORKS.L.chainId))).toBe(account.address_L);
    });
  });

  section("codes", data.codes, (codes) => {
    test("are those of the messages", () => {
      expect(codes).toEqual(
        Object.fromEntries(Object.values(messageDefinitions).map(({ type, code }) => [type, code])),
      );
    });
  });

  section("limits", data.limits, (limits) => {
    test("are those of the messages, but where the page has others", () => {
      const { origin: _, outer_length_max, largest_payload_in_an_outer_frame, ...ofMessages } = limits;
      const ours = Object.fromEntries(
        Object.values(messageDefinitions).map(({ type, limit }) => [type, limit]),
      );
      // Page 04 §8.2, §25.6.
      const changed = {
        Peers: 65_536,
        Block: 2_097_152,
        MicroBlockRequest: 64,
        MicroBlockResponse: 1_310_720,
        Checkpoint: 748,
      };
      expect(ours).toEqual({ ...ofMessages, ...changed });
      expect(outer_length_max).toBe(104_857_596);
      expect(Number(outer_length_max) - Number(largest_payload_in_an_outer_frame)).toBe(13);
      expect(MAX_OUTER_LENGTH).toBe(2_097_152);
    });
  });

  section("frames", data.frames, (frames) => {
    test("have known members only", () => {
      expectMembers(
        frames,
        ...["type", "code", "payload_length", "payload", "checksum", "frame", "decoded"],
        ...["expected", "reference_reaction"],
      );
    });

    test.each(frames)("$name", (vector) => {
      const { type, code, payload, frame, decoded, reference_reaction } = vector;
      const bytes = decodeHex(payload);
      expect(bytes).toHaveLength(vector.payload_length);
      const [found, ...more] = decodeFrames(decodeHex(frame));
      if (found === undefined || found instanceof WireError) throw found;
      expect(more).toEqual([]);
      expect(found.definition.type).toEqual(type);
      expect(found.definition.code).toEqual(code);
      expect(found.payload).toEqual(bytes);
      expect(found.digest === undefined ? null : encodeHex(found.digest.subarray(0, 4))).toBe(
        vector.checksum,
      );

      const message = read(code, bytes);
      const refused = reference_reaction.replace(/^blacklist: /, "");
      if (type === "Peers" && refused.startsWith("Invalid message."))
        // Page 04 §8.2: a list of peers causes no ban.
        expect(message).toEqual({ type, addresses: [] });
      else if (refused === "Invalid message. null") expect(message).toMatchObject({ penalty: "blacklist" });
      else if (refused.startsWith("Invalid message.")) expect(message).toEqual(new WireError(refused));
      else {
        if (message instanceof WireError) throw message;
        expectWrittenAgain(vector, message);
      }
      if (decoded === undefined) return;
      const facts = factsOf(decodePayload(found.definition, bytes), checkpointSigner);
      expectKnown(Object.keys(decoded), Object.keys(facts), vector.name);
      for (const [fact, value] of Object.entries(decoded)) expect(facts[fact](), fact).toEqual(value);
    });
  });

  section("frames_invalid", data.frames_invalid, (frames) => {
    test("have known members only", () => {
      expectMembers(frames, "bytes", "reference_effect", "reference_reason", "first_error");
    });

    test.each(frames)("$name", ({ name, bytes, reference_effect, reference_reason, first_error }) => {
      const found = decodeFrames(decodeHex(bytes));
      const reason = first_error ?? reference_reason;
      const last = found.at(-1);
      if (reference_effect.startsWith("ignored")) expect(found).toEqual([]);
      // The reference skips the announced bytes; page 04 §6.1: closed.
      else if (reason === undefined) expect(found).toMatchObject([{ penalty: "close" }]);
      // Longer lists of peers and ten checkpoint items are accepted: page 04 §8.2, §25.6.
      else if (name === "peers_1001" || name === "checkpoint_ten_items")
        expect(found).toMatchObject([{ definition: { limit: expect.any(Number) } }]);
      else if (reason.startsWith("Invalid message.")) {
        if (last === undefined || last instanceof WireError) throw last;
        expect(read(last.definition.code, last.payload)).toEqual(new WireError(reason));
      }
      // Where a runtime's text contains buffer positions, ours starts the same (page 04 §29, remark 2).
      else if (reason.includes("IndexOutOfBounds"))
        expect(last).toMatchObject({ message: expect.stringContaining(reason.split(": readerIndex")[0]) });
      else expect(last).toEqual(new WireError(reason));
      // Messages before the error are handled.
      if (reference_effect.startsWith("GetPeers is handled"))
        expect(found).toMatchObject([{ definition: { type: "GetPeers" } }, {}]);
      else expect(found.length).toBeLessThan(2);
    });
  });

  section("payloads_invalid", data.payloads_invalid, (payloads) => {
    test("have known members only", () => {
      expectMembers(payloads, "code", "payload", "reference_reason");
    });

    test.each(payloads)("$name", ({ code, payload, reference_reason: reason }) => {
      const message = read(code, decodeHex(payload));
      // Page 04 §8.2: a list of peers causes no ban; malformed lists are ignored.
      if (code === messageDefinitions.Peers.code) expect(message).toEqual({ type: "Peers", addresses: [] });
      // Texts of a runtime (page 04 §29, remark 2), and what the reference parses and refuses later, or not at all.
      else if (
        reason === undefined ||
        /\. (null|\d+ \(of class .*|InvalidSignature.*)$/.test(`. ${reason.replace("Invalid message. ", "")}`)
      )
        expect(message).toMatchObject({
          message: expect.stringMatching(/^Invalid message\. ./),
          penalty: "blacklist",
        });
      else expect(message).toEqual(new WireError(reason));
    });
  });

  section("streams", data.streams, (streams) => {
    test("have known members only", () => {
      expectMembers(streams, "receive", "expected", "events");
    });

    /** Decodes a stream, after a handshake if it has none. */
    function types(chunks: readonly Uint8Array[], withHandshake: boolean): string[] {
      const decoder = new ConnectionDecoder(new VirtualClock(0), 180_000);
      const greeting: Received[] = withHandshake
        ? []
        : [...decoder.decode(decodeHex(data.handshake?.valid[0].hex ?? ""))];
      expect(greeting).toHaveLength(withHandshake ? 0 : 1);
      return chunks.flatMap((chunk) => [...decoder.decode(chunk)].map(({ type }) => type));
    }

    test.each(streams)("$name", ({ receive, expected, events }) => {
      if (events !== undefined) {
        for (const direction of ["send", "receive"] as const) {
          const said = events.filter((event) => event[direction] !== undefined);
          const bytes = said.map((event) => decodeHex(event[direction] ?? ""));
          const names = said.map(({ what }) => what.split(/[ ,]/)[0]);
          expect(types(bytes, true)).toEqual(names);
          expect(types([concatBytes(...bytes)], true)).toEqual(names);
        }
        return;
      }
      const bytes = decodeHex(receive ?? "");
      const withHandshake = expected?.[0] === "Handshake";
      expect(types([bytes], withHandshake)).toEqual(expected);
      expect(
        types(
          Array.from(bytes, (byte) => Uint8Array.of(byte)),
          withHandshake,
        ),
      ).toEqual(expected);
    });
  });

  section("liquid_block_chain", data.liquid_block_chain, (chain) => {
    test("is one block in several states", () => {
      const payload = (name: string) =>
        decodeHex(data.frames?.find((frame) => frame.name === name)?.payload ?? "");
      expect(chain.frames.every((name) => payload(name).length > 0)).toBe(true);
      const key = parseBlock(payload("block_key_v4_empty"), NETWORKS.T);
      const micros = ["microblock_response_1", "microblock_response_2"].map((name) =>
        parseMicroBlock(payload(name), NETWORKS.T),
      );
      expect(encodeBase58(key.signature)).toBe(chain.key_block_id_base58);
      for (const [i, { prev_base58, total_base58 }] of [chain.micro_1, chain.micro_2].entries()) {
        const micro = micros[i];
        expect([micro.reference, micro.totalSignature].map(encodeBase58)).toEqual([
          prev_base58,
          total_base58,
        ]);
        const announced = read(26, payload(`microblock_inv_${i + 1}`));
        expect(announced).toMatchObject({
          announcement: { reference: micro.reference, totalSignature: micro.totalSignature },
        });
        const total = totalBlock(key, micros.slice(0, i + 1));
        expect(isBlockSigned(total)).toBe(true);
        expect(blockBytes(total)).toEqual(payload(`block_liquid_after_micro_${i + 1}`));
        expect(encodeHex(blockUnsignedBytes(total))).toBe(
          encodeHex(payload(`block_liquid_after_micro_${i + 1}`)).slice(0, -128),
        );
      }
      const next = parseBlock(payload("block_key_v3_empty"), NETWORKS.T);
      expect(encodeBase58(next.reference)).toBe(chain.next_key_block_reference_base58);
      expect(read(27, payload("microblock_request_1"))).toMatchObject({ id: micros[0].totalSignature });
    });
  });

  section("checkpoint_settings_signatures", data.checkpoint_settings_signatures, (signatures) => {
    test.each(signatures)("$signature_base58", ({ signature_base58, signature }) => {
      expect(encodeHex(decodeBase58(signature_base58, 100))).toBe(signature);
    });
  });
});

/** Encoding gives the decoded bytes, except for what is read leniently. */
function expectWrittenAgain({ name, type, payload, frame }: FrameVector, message: ReceivedMessage): void {
  const canonical: Readonly<Record<string, string>> = {
    score_empty_payload: "00",
    score_unsigned_without_sign_byte: "00ff",
    microblock_inv_trailing_bytes: payload.slice(0, 448),
  };
  // Read as the largest unsigned number, which has one byte more as a signed one: it cannot be sent.
  if (name === "score_max_length") expect(() => encodePayload(message)).toThrow(RangeError);
  else {
    expect(encodeHex(encodePayload(message)), type).toBe(canonical[name] ?? payload);
    if (canonical[name] === undefined) expect(encodeHex(encodeFrame(message))).toBe(frame);
  }
}
