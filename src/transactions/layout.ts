/** Where the members of a transaction stand in its bytes, per version. Page 02 §3, §4. */

import { MAX_SUBJECT_LENGTH } from "./checks.ts";
import type { Shape } from "./fields.ts";
import type { AnyWire, Wire } from "./wire.ts";
import * as wire from "./wire.ts";

/** One member in a body; `wire` and `shape` replace those of the member's kind. */
interface LayoutStep<Name extends string = string> {
  readonly member: Name;
  readonly wire?: AnyWire;
  readonly shape?: Shape;
}

/** What a layout lists: members of the type by name, or steps. */
export type Item<Name extends string> = Name | LayoutStep<Name | BaseMember | "">;

type BaseMember = "chainId" | "timestamp" | "sender" | "fee";

/** What stands around a body. */
export type Envelope =
  /** Nothing: genesis. */
  | "bare"
  /** Type and signature in front of it. */
  | "signature in front"
  /** Signature behind it. */
  | "signature behind"
  /** Proofs behind it. */
  | "proofs"
  /** Sponsor and proofs behind it. */
  | "sponsor and proofs";

/** A layout as a type's file states it. */
export interface Layout<Name extends string = string> {
  readonly envelope: Envelope;
  /** What the bytes begin with: a zero byte and then type and version, or the old forms without the zero. */
  readonly header: "modern" | "type" | "type and version";
  readonly items: readonly Item<Name>[];
}

/** Layouts with the type byte as their only header; the body repeats neither version nor zero. */
function old(envelope: Envelope) {
  return <Name extends string>(...items: Item<Name>[]): Layout<Name> => ({ envelope, header: "type", items });
}

/** `body`, nothing else. */
export const bare = old("bare");
/** `type ‖ signature ‖ body`. */
export const signatureFirst = old("signature in front");
/** `body ‖ signature`. */
export const signatureLast = old("signature behind");

/** `body ‖ proofs`, without a zero in front: version 1 of mass transfer. */
export function oldWithProofs<Name extends string>(...items: Item<Name>[]): Layout<Name> {
  return { envelope: "proofs", header: "type and version", items };
}

/** `00 ‖ body ‖ proofs`: versions 1 and 2. */
export function modern<Name extends string>(...items: Item<Name>[]): Layout<Name> {
  return { envelope: "proofs", header: "modern", items };
}

/** `00 ‖ body ‖ sponsor ‖ proofs`, with chain id, timestamp, sender and fee in front: version 3 and above. */
export function standard<Name extends string>(...items: Item<Name>[]): Layout<Name> {
  const base: Item<Name>[] = [chainId, timestamp, { member: "sender", wire: wire.senderAccount }, fee];
  return { envelope: "sponsor and proofs", header: "modern", items: [...base, ...items] };
}

const unsignedByte: Wire<number> = {
  read: (reader) => reader.u8(),
  write: (writer, value) => writer.u8(value),
};

/** Chain id, one byte. */
export const chainId: LayoutStep<"chainId"> = { member: "chainId", wire: unsignedByte };
/** Timestamp, 8 bytes. */
export const timestamp: LayoutStep<"timestamp"> = { member: "timestamp", wire: wire.int64 };
/** Fee, 8 bytes. */
export const fee: LayoutStep<"fee"> = { member: "fee", wire: wire.int64 };
/** Sender of versions 1 and 2: an ed25519 key without its type. */
export const senderKey: LayoutStep<"sender"> = { member: "sender", wire: wire.bareKey };

/** A byte without meaning: any value is read, `value` is written. */
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

/** A member that this layout writes differently from its kind. @param shape the values that fit, if not all do */
export function encodedAs<Name extends string, T>(
  member: Name,
  encoding: Wire<T>,
  shape?: Shape,
): LayoutStep<Name> {
  return { member, wire: encoding, ...(shape === undefined ? {} : { shape }) };
}

/** The type of an association below version 4. */
export const int32AssociationType = encodedAs("associationType", wire.int32, { kind: "int32" });
/** The subject of an association in version 1: it can be there and empty. */
export const possiblyEmptySubject = encodedAs("subject", wire.flaggedBytes16, {
  kind: "optional",
  of: { kind: "bytes", min: 0, max: MAX_SUBJECT_LENGTH },
});
