/** Recorded handshakes. Page 04 §5. */
import { describe, expect, test } from "vitest";
import { data, expectMembers, FILE, section } from "../../../test/support/network-vectors.ts";
import { expectKnown, hasVectors } from "../../../test/vectors.ts";
import { concatBytes } from "../../bytes/compare.ts";
import { decodeHex, encodeHex } from "../../bytes/hex.ts";
import { encodeHandshake, type Handshake, handshakeRefusal, isSupportedVersion } from "./handshake.ts";
import { HandshakeDecoder } from "./handshake-decoder.ts";
import { WireError } from "./wire-error.ts";

describe.skipIf(!hasVectors(FILE))(FILE, () => {
  section("handshake", data.handshake, (handshake) => {
    test("has known parts only", () => {
      expectKnown(Object.keys(handshake), ["valid", "invalid", "version_check", "split_points"], FILE);
      expectMembers(handshake.valid, "hex", "length", "fields", "reference_reaction");
      expectMembers(handshake.invalid, "hex", "expected", "reference_reason", "first_error");
    });

    test.each(handshake.valid)("valid: $name", ({ hex, length, fields, reference_reaction }) => {
      const bytes = decodeHex(hex);
      const [major, minor, patch] = fields.applicationVersion;
      const expected: Handshake = {
        applicationName: fields.applicationName,
        version: { major, minor, patch },
        nodeName: fields.nodeName,
        nonce: BigInt(fields.nodeNonce),
        declaredAddress:
          fields.declaredAddress === null
            ? undefined
            : { host: fields.declaredAddress.ip, port: fields.declaredAddress.port },
        time: BigInt(fields.timestampSeconds),
      };
      expect(bytes).toHaveLength(length);
      expect(encodeHex(encodeHandshake(expected))).toBe(hex);
      const behind = decodeHex("666f6f");
      const found = new HandshakeDecoder().take(concatBytes(bytes, behind));
      expect(found).toEqual({ handshake: expected, rest: behind });
      const byByte = new HandshakeDecoder();
      for (const [i, byte] of bytes.entries())
        expect(byByte.take(Uint8Array.of(byte))?.handshake).toEqual(
          i === bytes.length - 1 ? expected : undefined,
        );
      // They were sent to a node of chain L.
      const refusal = handshakeRefusal(expected, "ltoL");
      expect(
        refusal === undefined
          ? "answers with its handshake, then GetPeers and Score"
          : `blacklist: ${refusal.message}`,
      ).toBe(reference_reaction);
    });

    test.each(handshake.invalid)("invalid: $name", ({ name, hex, reference_reason, first_error }) => {
      const outcome = (chunks: readonly Uint8Array[]): WireError | undefined => {
        const decoder = new HandshakeDecoder();
        try {
          for (const chunk of chunks) {
            const found = decoder.take(chunk);
            if (found !== undefined) return handshakeRefusal(found.handshake, "ltoL");
          }
        } catch (error) {
          if (error instanceof WireError) return error;
          throw error;
        }
        return undefined;
      };
      const bytes = decodeHex(hex);
      const error = outcome([bytes]);
      expect(outcome(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(error);
      if (name === "truncated_waits") expect(error).toBeUndefined();
      // The reference waits for a handshake that cannot come any more; page 04 §5.2: closed at once.
      else if (reference_reason === "Timeout expired while waiting for handshake")
        expect(error).toMatchObject({ penalty: "close" });
      else expect(error).toEqual(new WireError(first_error ?? reference_reason));
    });

    test.each(handshake.version_check)(
      "version $version",
      ({ version: [major, minor, patch], supported }) => {
        expect(isSupportedVersion({ major, minor, patch })).toBe(supported);
      },
    );
  });
});
