/** The recorded vectors of the network protocol. */
import { describe, expect, test } from "vitest";
import { decodeHex } from "../../src/bytes/hex.ts";
import type { MessageType } from "../../src/peers/wire/messages.ts";
import { expectKnown, hasVectors, loadVectors } from "../vectors.ts";

/** The file with everything about the network. */
export const FILE = "network.json";
/** Descriptive members of a vector, which tests ignore. */
const PROSE = ["name", "origin", "source", "note", "behaviour_origin"];

interface Named {
  readonly name: string;
}
export interface HandshakeVector extends Named {
  readonly hex: string;
  readonly length: number;
  readonly reference_reaction: string;
  readonly fields: {
    readonly applicationName: string;
    readonly applicationVersion: readonly [number, number, number];
    readonly nodeName: string;
    readonly nodeNonce: string;
    readonly declaredAddress: { readonly ip: string; readonly port: number } | null;
    readonly timestampSeconds: number;
  };
}
interface InvalidHandshakeVector extends Named {
  readonly hex: string;
  readonly expected: string;
  readonly reference_reason: string;
  readonly first_error?: string;
}
export interface FrameVector extends Named {
  readonly type: MessageType;
  readonly code: number;
  readonly payload_length: number;
  readonly payload: string;
  readonly checksum: string | null;
  readonly frame: string;
  readonly decoded?: Readonly<Record<string, unknown>>;
  readonly expected?: string;
  readonly reference_reaction: string;
}
interface InvalidFrameVector extends Named {
  readonly bytes: string;
  readonly reference_effect: string;
  readonly reference_reason?: string;
  readonly first_error?: string;
}
interface InvalidPayloadVector extends Named {
  readonly code: number;
  readonly payload: string;
  readonly reference_reason?: string;
}
interface StreamVector extends Named {
  readonly receive?: string;
  readonly expected?: readonly string[];
  readonly events?: readonly { readonly send?: string; readonly receive?: string; readonly what: string }[];
}
interface AccountVector extends Named {
  readonly account_seed: string;
  readonly private_key_seed: string;
  readonly public_key: string;
  readonly address_T: string;
  readonly address_L: string;
  readonly address_T_bytes: string;
}
interface Vectors {
  readonly primitives: {
    readonly fast_hash: readonly { readonly input: string; readonly digest: string }[];
    readonly not_this: { readonly value: string };
  };
  readonly accounts: readonly AccountVector[];
  readonly handshake: {
    readonly valid: readonly HandshakeVector[];
    readonly invalid: readonly InvalidHandshakeVector[];
    readonly version_check: readonly {
      readonly version: readonly [number, number, number];
      readonly supported: boolean;
    }[];
  };
  readonly frames: readonly FrameVector[];
  readonly frames_invalid: readonly InvalidFrameVector[];
  readonly payloads_invalid: readonly InvalidPayloadVector[];
  readonly streams: readonly StreamVector[];
  readonly liquid_block_chain: {
    readonly key_block_id_base58: string;
    readonly micro_1: { readonly prev_base58: string; readonly total_base58: string };
    readonly micro_2: { readonly prev_base58: string; readonly total_base58: string };
    readonly next_key_block_reference_base58: string;
    readonly frames: readonly string[];
  };
  readonly checkpoint_settings_signatures: readonly {
    readonly signature_base58: string;
    readonly signature: string;
  }[];
  readonly scenarios: readonly (Named & {
    readonly settings?: Readonly<Record<string, unknown>>;
    readonly cases: readonly unknown[];
  })[];
  readonly peers_file: { readonly example: string };
  readonly limits: Readonly<Record<string, number | string>>;
  readonly codes: Readonly<Record<string, number>>;
}

/** Sections of the file. */
export const data = hasVectors(FILE) ? loadVectors<Partial<Vectors>>(FILE) : {};
/** Public key of the checkpoint signer. */
export const checkpointSigner = decodeHex(
  data.accounts?.find(({ name }) => name === "checkpoint_signer")?.public_key ?? "",
);

/**
 * Registers tests for the cases of a section. An empty section fails; a missing section appears as a test with its
 * name.
 */
export function section<T extends object>(name: string, cases: T | undefined, run: (cases: T) => void): void {
  describe.skipIf(cases === undefined)(name, () => {
    if (cases === undefined) test(`${name} is not there`, () => undefined);
    else {
      test("has cases", () => expect(Object.keys(cases).length).toBeGreaterThan(0));
      run(cases);
    }
  });
}

/** Fails if a vector has an unknown member. */
export function expectMembers(vectors: readonly object[], ...known: string[]): void {
  for (const vector of vectors) expectKnown(Object.keys(vector), [...PROSE, ...known], FILE);
}
