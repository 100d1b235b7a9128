/** Generates random valid transactions from the definitions of their types. */
import fc from "fast-check";
import { concatBytes } from "../../bytes/compare.ts";
import { encodeHex } from "../../bytes/hex.ts";
import { ByteWriter } from "../../bytes/writer.ts";
import { immutableMapEntries } from "../../collections/hash-trie.ts";
import { addressOf } from "../../crypto/addresses.ts";
import { secureHash } from "../../crypto/hashes.ts";
import { keyTypes, type PublicKey } from "../../crypto/key-types.ts";
import type { NetworkRules, TransactionBase } from "../base.ts";
import type { DataEntry } from "../data-entry.ts";
import type { CompiledLayout, TransactionDefinition } from "../define.ts";
import type { Shape } from "../fields.ts";
import { TransactionRecord } from "../record.ts";
import { definitions, type Transaction } from "../registry.ts";
import { staticCheck } from "../static-check.ts";

export interface TransactionChoice {
  readonly network: NetworkRules;
  /** Default: all types of the network. */
  readonly types?: readonly number[];
  /** Default: all versions. */
  readonly versions?: readonly number[];
  /** Default: random keys. */
  readonly senders?: readonly PublicKey[];
}

/** The sum of 100 amounts and a fee stays below 2^63. */
const MAX_AMOUNT = 2n ** 55n;
const MAX_KEY_CODE_POINTS = 50;
const MAX_ENTRIES = 9;

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const ed25519Key = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes): PublicKey => ({ keyType: "ed25519", bytes }));
const anyKey = fc
  .constantFrom(...keyTypes)
  .chain(({ name, publicKeyLength }) =>
    fc
      .uint8Array({ minLength: publicKeyLength, maxLength: publicKeyLength })
      .map((bytes): PublicKey => ({ keyType: name, bytes })),
  );
const signature = fc.uint8Array({ minLength: 64, maxLength: 64 });
const proofs = fc.array(fc.oneof({ weight: 3, arbitrary: signature }, fc.uint8Array({ maxLength: 64 })), {
  maxLength: 8,
});

const wellFormed = (maxLength: number) => fc.string({ unit: "binary", maxLength });
const entryKey = fc.string({ unit: "binary", minLength: 1, maxLength: MAX_KEY_CODE_POINTS });
const entry: fc.Arbitrary<DataEntry> = fc.oneof(
  fc.record({ key: entryKey, type: fc.constant("integer" as const), value: int64 }),
  fc.record({ key: entryKey, type: fc.constant("boolean" as const), value: fc.boolean() }),
  fc.record({
    key: entryKey,
    type: fc.constant("binary" as const),
    value: fc.uint8Array({ maxLength: 1024 }),
  }),
  fc.record({ key: entryKey, type: fc.constant("string" as const), value: wellFormed(256) }),
);

/** The smallest scripts: constants. */
const expression = fc.oneof(
  fc.constantFrom(Uint8Array.of(6), Uint8Array.of(7)),
  int64.map((value) => new ByteWriter().u8(0).i64(value).toBytes()),
);
const script = expression.map((bytes) => {
  const content = concatBytes(Uint8Array.of(1), bytes);
  return concatBytes(content, secureHash(content).subarray(0, 4));
});

function der(tag: number, ...parts: Uint8Array[]): Uint8Array {
  const content = concatBytes(...parts);
  const length = content.length < 128 ? [content.length] : [0x82, content.length >> 8, content.length & 0xff];
  return concatBytes(Uint8Array.of(tag, ...length), content);
}

const SEQUENCE = 0x30;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const UTC_TIME = 0x17;

/** A minimal certificate structure with a random serial number and key. */
const certificate = fc
  .record({ serial: fc.uint8Array({ minLength: 8, maxLength: 8 }), key: fc.uint8Array({ maxLength: 200 }) })
  .map(({ serial, key }) => {
    const algorithm = der(SEQUENCE, Uint8Array.of(0x06, 0x03, 0x2b, 0x65, 0x70));
    const time = der(UTC_TIME, new TextEncoder().encode("250101000000Z"));
    const bits = der(BIT_STRING, Uint8Array.of(0), key);
    const name = der(SEQUENCE);
    const number = der(INTEGER, Uint8Array.of(1), serial);
    const subjectKey = der(SEQUENCE, algorithm, bits);
    const content = der(SEQUENCE, number, algorithm, name, der(SEQUENCE, time, time), name, subjectKey);
    return der(SEQUENCE, content, algorithm, bits);
  });

/** Returns what must differ between the elements of a list of distinct values. */
function identityOf(value: unknown): unknown {
  if (value instanceof Uint8Array) return encodeHex(value);
  return (value as DataEntry).key;
}

function arbitraryOf(shape: Shape, network: NetworkRules): fc.Arbitrary<unknown> {
  switch (shape.kind) {
    case "int64":
      return int64;
    case "int32":
      return fc.integer().map(BigInt);
    case "amount":
      return fc.bigInt({ min: shape.min, max: MAX_AMOUNT });
    case "address":
      return ed25519Key.map((key) => addressOf(key.bytes, network.chainId));
    case "account":
      return anyKey;
    case "entry":
      return entry;
    case "script":
      return fc.option(script, { nil: undefined });
    case "certificate":
      return fc.option(certificate, { nil: undefined });
    case "bytes":
      return fc.uint8Array({ minLength: shape.min, maxLength: shape.max });
    case "optional":
      // 0 means that the value is missing.
      return fc.option(
        arbitraryOf(shape.of, network).filter((value) => value !== 0n),
        { nil: undefined },
      );
    case "list": {
      const item = arbitraryOf(shape.of, network);
      const maxLength = shape.of.kind === "entry" ? MAX_ENTRIES : shape.max;
      if (!shape.distinct) return fc.array(item, { maxLength });
      return fc.uniqueArray(item, { maxLength, selector: identityOf });
    }
    case "object":
      return fc.record(
        Object.fromEntries(Object.entries(shape.of).map(([name, of]) => [name, arbitraryOf(of, network)])),
      );
    case "pairs": {
      const bytes = arbitraryOf(shape.of, network) as fc.Arbitrary<Uint8Array>;
      return fc.array(fc.tuple(bytes, bytes), { maxLength: shape.max }).map(immutableMapEntries);
    }
  }
}

function proofsOf(layout: CompiledLayout): fc.Arbitrary<readonly Uint8Array[]> {
  if (layout.envelope === "bare") return fc.constant([]);
  if (layout.hasOneSignature) {
    return signature.map((proof) => [proof]);
  }
  return proofs;
}

/** Generates the members of `TransactionBase` that the layout encodes. */
function baseOf(layout: CompiledLayout, senders: readonly PublicKey[] | undefined) {
  const modern = layout.envelope === "sponsor and proofs";
  const hasMember = (member: string) => layout.steps.some((step) => step.member === member);
  const usable = senders?.filter((key) => modern || key.keyType === "ed25519") ?? [];
  const randomKey = modern ? anyKey : ed25519Key;
  return fc.record({
    timestamp: int64,
    fee: hasMember("fee") ? fc.bigInt({ min: 1n, max: MAX_AMOUNT }) : fc.constant(0n),
    sender: usable.length > 0 ? fc.constantFrom(...usable) : randomKey,
    usesDefaultSender: fc.constant(!hasMember("sender")),
    sponsor: modern ? fc.option(anyKey, { nil: undefined }) : fc.constant(undefined),
    proofs: proofsOf(layout),
  });
}

function ofLayout(
  definition: TransactionDefinition,
  layout: CompiledLayout,
  { network, senders }: TransactionChoice,
): fc.Arbitrary<Transaction> {
  const typeMembers = fc.record(
    Object.fromEntries([...layout.shapes].map(([member, shape]) => [member, arbitraryOf(shape, network)])),
  );
  return fc
    .tuple(baseOf(layout, senders), typeMembers)
    .map(([base, members]) => {
      const record = new TransactionRecord(definition.type, layout.version, network.chainId);
      record.timestamp = base.timestamp;
      record.fee = base.fee;
      if (!base.usesDefaultSender) record.sender = base.sender;
      record.sponsor = base.sponsor;
      record.proofs = base.proofs;
      for (const [member, value] of Object.entries(members)) record.set(member, value);
      for (const { member, makeValue } of layout.missing) record.set(member, makeValue());
      // The layout set all members of its type.
      return record.complete(network.chainId) as TransactionBase as Transaction;
    })
    .filter((tx) => staticCheck(tx, network) === undefined);
}

/** Generates transactions that pass every static rule. Their proofs are random bytes. */
export function transactionArbitrary(choice: TransactionChoice): fc.Arbitrary<Transaction> {
  const arbitraries = definitions
    .filter(({ type, existsOn }) => existsOn(choice.network) && (choice.types?.includes(type) ?? true))
    .flatMap((definition) =>
      [...definition.layouts.values()]
        .filter(({ version }) => choice.versions?.includes(version) ?? true)
        .map((layout) => ofLayout(definition, layout, choice)),
    );
  return fc.oneof(...arbitraries);
}
