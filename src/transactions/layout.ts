/** Order of members in the bytes, by version. Page 02 §3, §4. */

import { MAX_SUBJECT_LENGTH } from "./checks.ts";
import type { Shape } from "./fields.ts";
import type { AnyWire, Wire } from "./wire.ts";
import * as wire from "./wire.ts";

/** `wire` and `shape` override those of the member's field. */
interface LayoutStep<Name extends string = string> {
  readonly member: Name;
  readonly wire?: AnyWire;
  readonly shape?: Shape;
}

export type Item<Name extends string> = Name | LayoutStep<Name | BaseMember | "">;

type BaseMember = "chainId" | "timestamp" | "sender" | "fee";

/** The parts around the body. The body begins with the header, after any leading zero. */
export type Envelope = "bare" | "signature first" | "signature last" | "proofs" | "sponsor and proofs";

export interface Layout<Name extends string = string> {
  readonly envelope: Envelope;
  /** `modern` means a zero before the body, then type and version. */
  readonly header: "modern" | "type" | "type and version";
  readonly items: readonly Item<Name>[];
}

function withTypeHeader(envelope: Envelope) {
  return <Name extends string>(...items: Item<Name>[]): Layout<Name> => ({ envelope, header: "type", items });
}

/** `body`. */
export const bare = withTypeHeader("bare");
/** `type ‖ signature ‖ body`. */
export const signatureFirst = withTypeHeader("signature first");
/** `body ‖ signature`. */
export const signatureLast = withTypeHeader("signature last");

/** `body ‖ proofs` without a leading zero: mass transfer version 1. */
export function oldWithProofs<Name extends string>(...items: Item<Name>[]): Layout<Name> {
  return { envelope: "proofs", header: "type and version", items };
}

/** `00 ‖ body ‖ proofs`: versions 1 and 2. */
export function modern<Name extends string>(...items: Item<Name>[]): Layout<Name> {
  return { envelope: "proofs", header: "modern", items };
}

/** `00 ‖ body ‖ sponsor ‖ proofs`: version 3 and above. */
export function standard<Name extends string>(...items: Item<Name>[]): Layout<Name> {
  const base: Item<Name>[] = [chainId, timestamp, { member: "sender", wire: wire.senderAccount }, fee];
  return { envelope: "sponsor and proofs", header: "modern", items: [...base, ...items] };
}

const unsignedByte: Wire<number> = {
  read: (reader) => reader.u8(),
  write: (writer, value) => writer.u8(value),
};

export const chainId: LayoutStep<"chainId"> = { member: "chainId", wire: unsignedByte };
export const timestamp: LayoutStep<"timestamp"> = { member: "timestamp", wire: wire.int64 };
export const fee: LayoutStep<"fee"> = { member: "fee", wire: wire.int64 };
/** Sender in versions 1 and 2. */
export const senderKey: LayoutStep<"sender"> = { member: "sender", wire: wire.ed25519Key };

/** Reads any byte, writes `value`. */
export function reserved(value: number): LayoutStep<""> {
  return {
    member: "",
    wire: {
      read: (reader) => {
        if (reader.u8() !== value) reader.isNonCanonical = true;
      },
      write: (writer) => {
        writer.u8(value);
      },
    },
  };
}

export function encodedAs<Name extends string, T>(
  member: Name,
  encoding: Wire<T>,
  shape?: Shape,
): LayoutStep<Name> {
  return { member, wire: encoding, ...(shape === undefined ? {} : { shape }) };
}

/** Association type below version 4. */
export const int32AssociationType = encodedAs("associationType", wire.int32, { kind: "int32" });
/** Subject in version 1, which can be empty. */
export const possiblyEmptySubject = encodedAs("subject", wire.flaggedBytes16, {
  kind: "optional",
  of: { kind: "bytes", min: 0, max: MAX_SUBJECT_LENGTH },
});
