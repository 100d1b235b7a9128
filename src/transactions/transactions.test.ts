import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareBytes } from "../bytes/compare.ts";
import { decodeHex, encodeHex } from "../bytes/hex.ts";
import { INT64_MAX } from "../bytes/int64.ts";
import { type JsonObject, parseJson, printJson } from "../bytes/json.ts";
import { addressOf, addressText } from "../crypto/addresses.ts";
import { keyPairFromSeed } from "../crypto/seeds.ts";
import { verify } from "../crypto/signatures.ts";
import { Feature } from "../profiles/features.ts";
import {
  bodyBytes,
  className,
  copyTransaction,
  definitionByName,
  definitionByType,
  definitionOf,
  definitions,
  errorText,
  type MassTransferTransaction,
  parseTransaction,
  type RequestOptions,
  type RequestResult,
  reparseTransaction,
  requestSchema,
  staticCheck,
  type Transaction,
  TransactionParseError,
  transactionBytes,
  transactionFromRequest,
  transactionId,
  transactionJson,
  transactionMembersText,
  typeName,
  UnsignedTransactionError,
} from "./index.ts";
import { transactionArbitrary } from "./testing/arbitrary.ts";

const network = { chainId: 0x5a, payment: true };
const withoutPayment = { chainId: 0x5a, payment: false };

const utf8 = new TextEncoder();
const alice = keyPairFromSeed(utf8.encode("alice"));
const bob = keyPairFromSeed(utf8.encode("bob"));
const aliceAddress = addressOf(alice.publicKey, network.chainId);
const bobAddress = addressOf(bob.publicKey, network.chainId);
const key = (pair: typeof alice) => ({ keyType: pair.keyType, bytes: pair.publicKey });

function request(members: Record<string, unknown>, options: Partial<RequestOptions> = {}): RequestResult {
  const json = parseJson(JSON.stringify(members));
  return transactionFromRequest(json, { network, ...options });
}

function accepted(result: RequestResult): Transaction {
  if (!result.ok) throw new Error(`refused: ${JSON.stringify(result.error)}`);
  return result.value.transaction;
}

function refused(result: RequestResult): string {
  if (result.ok) throw new Error("accepted");
  if (result.error.kind === "validation") return errorText(result.error.error);
  return JSON.stringify({ cause: result.error.cause, ...Object.fromEntries(result.error.validationErrors) });
}

const keyPairOf = (address: Uint8Array) =>
  [alice, bob].find((pair) => compareBytes(addressOf(pair.publicKey, network.chainId), address) === 0);

const transfer = (members: Record<string, unknown> = {}) => ({
  type: 4,
  fee: 100000000,
  recipient: addressText(bobAddress),
  amount: 1,
  ...members,
});

describe.each(
  definitions.flatMap(({ type, name, layouts }) =>
    [...layouts.keys()].map((version) => ({ type, name, version })),
  ),
)("$name version $version", ({ type, version }) => {
  const arbitrary = transactionArbitrary({ network, types: [type], versions: [version] });

  it("round-trips through bytes", () => {
    fc.assert(
      fc.property(arbitrary, (tx) => {
        const bytes = transactionBytes(tx);
        const again = parseTransaction(bytes, network);
        expect(again).toEqual(tx);
        expect(encodeHex(transactionBytes(again))).toBe(encodeHex(bytes));
        expect(encodeHex(transactionId(again))).toBe(encodeHex(transactionId(tx)));
      }),
      { seed: 1, numRuns: 40 },
    );
  });

  it("prints the same JSON with and without objects", () => {
    fc.assert(
      fc.property(arbitrary, (tx) => {
        const text = printJson(transactionJson(tx));
        expect(`{${transactionMembersText(tx)}}`).toBe(text);
        // Keys and addresses that were read from bytes have cached texts.
        const stored = reparseTransaction(transactionBytes(tx), network);
        for (let time = 0; time < 2; time++) expect(`{${transactionMembersText(stored)}}`).toBe(text);
      }),
      { seed: 2, numRuns: 25 },
    );
  });

  it("round-trips through JSON", () => {
    fc.assert(
      fc.property(
        // A request reads an empty subject as missing; page 02 §10.10.
        arbitrary.filter((tx) => !("subject" in tx && tx.subject?.length === 0)),
        (tx) => {
          const text = printJson(transactionJson(tx));
          const result = transactionFromRequest(parseJson(text), { network });
          if (type === 1) {
            expect(refused(result)).toBe("GenericError(Unsupported transaction type (1))");
            return;
          }
          const again = accepted(result);
          expect(again).toEqual(tx);
          expect(printJson(transactionJson(again))).toBe(text);
        },
      ),
      { seed: 2, numRuns: 40 },
    );
  });

  it("parses changed bytes to a transaction that round-trips, or throws a TransactionParseError", () => {
    fc.assert(
      fc.property(arbitrary, fc.nat(), fc.nat({ max: 255 }), fc.boolean(), (tx, place, byte, cut) => {
        const bytes = Uint8Array.from(transactionBytes(tx));
        const at = place % bytes.length;
        bytes[at] = byte;
        const changed = cut ? bytes.subarray(0, at) : bytes;
        try {
          const parsed = parseTransaction(changed, network);
          const again = parseTransaction(transactionBytes(parsed), network);
          expect(encodeHex(transactionBytes(again))).toBe(encodeHex(transactionBytes(parsed)));
        } catch (error) {
          expect(error).toBeInstanceOf(TransactionParseError);
        }
      }),
      { seed: 3, numRuns: 60 },
    );
  });
});

describe("bytes", () => {
  it("are copied from the input", () => {
    const tx = accepted(request(transfer({ sender: addressText(aliceAddress) }), { keyPairOf }));
    const source = Uint8Array.from(transactionBytes(tx));
    const parsed = parseTransaction(source, network);
    source.fill(0);
    expect(transactionBytes(parsed)).toEqual(transactionBytes(tx));
  });

  it("of a copy are written from its members", () => {
    const tx = accepted(request(transfer({ sender: addressText(aliceAddress) }), { keyPairOf }));
    const bytes = transactionBytes(tx);
    const copy = copyTransaction(tx, { proofs: [], sponsor: key(bob) });
    expect(transactionBytes(copy)).not.toEqual(bytes);
    expect(transactionId(copy)).toEqual(transactionId(tx));
    expect(copy.sponsorAddress).toEqual(bobAddress);
    expect(copyTransaction(copy, { sponsor: undefined }).sponsorAddress).toBeUndefined();
    const spread = { ...tx, fee: tx.fee + 1n };
    expect(transactionBytes(spread)).not.toEqual(bytes);
    expect(transactionBytes(spread)).toHaveLength(bytes.length);
  });

  it("do not exist for an unsigned transfer of version 1, but its body does", () => {
    const tx = accepted(
      request(transfer({ version: 1, sender: addressText(aliceAddress), senderPublicKey: "1" }), {
        keyPairOf,
      }),
    );
    const unsigned = copyTransaction(tx, { proofs: [] });
    expect(() => transactionBytes(unsigned)).toThrow(UnsignedTransactionError);
    expect(bodyBytes(unsigned)).toEqual(bodyBytes(tx));
    expect(transactionJson(unsigned).get("signature")).toBe("");
  });

  it("of shared memory are copied", () => {
    const tx = accepted(request(transfer({ sender: addressText(aliceAddress) }), { keyPairOf }));
    const bytes = transactionBytes(tx);
    const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
    shared.set(bytes);
    const parsed = parseTransaction(shared, network);
    expect(parsed.sender.bytes.buffer).toBeInstanceOf(ArrayBuffer);
    expect(verify(parsed.sender, bodyBytes(parsed), parsed.proofs[0] as Uint8Array)).toBe(true);
  });

  it("are rejected if 32,767 entries walk backwards over the same long key", () => {
    const empty = accepted(
      request({ type: 12, fee: 1, data: [], sender: addressText(aliceAddress) }, { keyPairOf }),
    );
    const start = bodyBytes(empty).length - 1;
    const hostile = new Uint8Array(40_000);
    hostile.set(transactionBytes(empty).subarray(0, start));
    const view = new DataView(hostile.buffer);
    const keyLength = 32_000;
    view.setInt16(start, 32_767);
    view.setInt16(start + 2, keyLength);
    hostile[start + 4 + keyLength] = 3;
    view.setInt16(start + 5 + keyLength, -(keyLength + 5));
    // The reader ends where the entries begin, and reads the key's length as a sponsor.
    expect(() => parseTransaction(hostile, network)).toThrow(
      new TransactionParseError("Invalid sponsor public key"),
    );
  });
});

describe("types", () => {
  it("have the versions and features of the protocol's table", () => {
    const table = definitions.map(({ type, versions }) => [type, Object.fromEntries(versions)]);
    const always = {};
    const cobalt = { since: Feature.Cobalt };
    const titanium = { since: Feature.Titanium };
    expect(Object.fromEntries(table)).toEqual({
      1: { 1: always },
      2: { 1: always },
      4: { 1: always, 2: { since: 4 }, 3: cobalt },
      8: { 1: always, 2: { since: 4 }, 3: cobalt },
      9: { 1: always, 2: { since: 4 }, 3: cobalt },
      11: { 1: always, 3: cobalt },
      12: { 1: { until: 4 }, 3: { since: 14 } },
      13: { 1: always, 3: cobalt },
      15: { 1: always, 3: cobalt },
      16: { 1: { since: 10 }, 3: cobalt, 4: titanium },
      17: { 1: { since: 10 }, 3: cobalt, 4: titanium },
      18: { 1: { since: 11 }, 3: cobalt },
      19: { 1: { since: 11 }, 3: cobalt },
      20: { 3: { since: 14 } },
      21: { 3: { since: 15 } },
      22: { 3: titanium },
      23: { 3: titanium },
      24: { 3: { since: 17 } },
    });
  });

  it("are found by number, name and old name", () => {
    expect(typeName(11)).toBe("mass transfer");
    expect(className(19)).toBe("CancelSponsorshipTransaction");
    expect(() => typeName(3)).toThrow(RangeError);
    for (const { type, pathNames } of definitions) {
      for (const name of pathNames) expect(definitionByName(name, network)?.type).toBe(type);
    }
    expect(definitionByName("lease-cancel", network)?.type).toBe(9);
    expect(definitionByName("sponsorship-cancel", network)?.type).toBe(19);
    expect(definitionByName("mass transfer", network)).toBeUndefined();
    expect(definitionByType(3, network)).toBeUndefined();
  });

  it("describe their requests", () => {
    const schema = requestSchema(definitionByType(16, network) as (typeof definitions)[number]);
    expect(schema.required).toEqual(["associationType", "recipient"]);
    expect(schema.properties?.version).toEqual({
      type: "integer",
      enum: [1, 3, 4],
      description: "default: 4",
    });
    expect(Object.keys(schema.properties ?? {})).toContain("expires");
  });
});

/** The recorded example. Page 02 §10.17. */
describe("payment", () => {
  const root = keyPairFromSeed(utf8.encode("root"));
  const members = {
    type: 2,
    timestamp: 1700000000000,
    fee: 100000000,
    recipient: "3QJHT5Q4LSmjQk1VeNRo6UMib4bBf3Wa4XR",
    amount: 250000000,
  };
  const body =
    "020000018bcfe56800f3e591ce2cfe12815a98009bf89a426f951d25c871446a1ed1100b530098b151015a2f9ca1289fd077bb8dfeb31077405b52cd5c7a528fca2a08000000000ee6b2800000000005f5e100";

  it("has the bytes, id and JSON of the example", () => {
    const options = { keyPairOf: () => root };
    const sender = addressText(addressOf(root.publicKey, network.chainId));
    const tx = accepted(request({ ...members, sender }, options));
    expect(encodeHex(bodyBytes(tx))).toBe(body);
    const json = transactionJson(tx);
    expect([...json.keys()]).toEqual([
      "type",
      "id",
      "fee",
      "timestamp",
      "signature",
      "sender",
      "senderPublicKey",
      "recipient",
      "amount",
    ]);
    expect(json.get("id")).toBe("2Ckw982ciT9UtgWL15511V3vo1q1f7E7LsAevcGpbjVM");
    expect(json.get("signature")).toBe(
      "rkLWRLS5GQ3QKhZBpiodydf9dhf8Hp4PGERbKd2jTCfZVpiEx5Dnz2Nvy4YLmjhbvobbDdLdxB2XFZidkijvM9e",
    );
    expect(transactionBytes(tx)).toHaveLength(83 + 64);
  });

  it("does not exist unless the profile enables it", () => {
    const bytes = Uint8Array.from([...decodeHex(body), ...new Uint8Array(64)]);
    expect(parseTransaction(bytes, network).type).toBe(2);
    expect(() => parseTransaction(bytes, withoutPayment)).toThrow(
      new TransactionParseError("Unknown transaction type (old encoding): 2"),
    );
    const result = request(members, { network: withoutPayment });
    expect(refused(result)).toBe("GenericError(Bad transaction type (2))");
    expect(refused(request(members, { network: withoutPayment, typeName: "payment" }))).toBe(
      "GenericError(Bad transaction type (payment))",
    );
  });

  it("rejects a leading zero and two proofs", () => {
    const bytes = Uint8Array.from([0, ...decodeHex(body), ...new Uint8Array(64)]);
    expect(() => parseTransaction(bytes, network)).toThrow(
      new TransactionParseError("Expected type of transaction '2', but got '0'"),
    );
    expect(refused(request({ ...members, senderPublicKey: "1", proofs: ["2", "3"] }))).toBe(
      "UnsupportedFeature(Multiple proofs not supported for tx v1)",
    );
  });
});

describe("requests", () => {
  const sender = addressText(aliceAddress);
  const sponsor = addressText(bobAddress);

  it("are signed by the wallet's sender, then its sponsor, after existing proofs", () => {
    const tx = accepted(request(transfer({ sender, sponsor, proofs: ["2", "3"] }), { keyPairOf }));
    expect(tx.proofs.map((proof) => proof.length)).toEqual([1, 1, 64, 64]);
    expect(verify(key(alice), bodyBytes(tx), tx.proofs[2] as Uint8Array)).toBe(true);
    expect(verify(key(bob), bodyBytes(tx), tx.proofs[3] as Uint8Array)).toBe(true);
    expect(tx.sponsor).toEqual(key(bob));
  });

  it("are not signed for accounts given by key", () => {
    const json = transactionJson(accepted(request(transfer({ sender }), { keyPairOf })));
    const senderPublicKey = json.get("senderPublicKey");
    const tx = accepted(request(transfer({ senderPublicKey, sponsor }), { keyPairOf }));
    expect(tx.proofs).toHaveLength(1);
    expect(verify(key(bob), bodyBytes(tx), tx.proofs[0] as Uint8Array)).toBe(true);
    expect(
      accepted(request(transfer({ senderPublicKey, sponsorPublicKey: senderPublicKey }), { keyPairOf }))
        .proofs,
    ).toEqual([]);
  });

  it("are rejected for accounts that the wallet lacks", () => {
    const stranger = addressText(addressOf(Uint8Array.of(1), network.chainId));
    expect(refused(request(transfer({ sender: stranger }), { keyPairOf }))).toBe("MissingSenderPrivateKey");
    expect(refused(request(transfer({ sender, sponsor: stranger }), { keyPairOf }))).toBe(
      "MissingSenderPrivateKey",
    );
    expect(refused(request(transfer({ sender: "abc" }), { keyPairOf }))).toMatch(/^InvalidAddress\(/);
    expect(refused(request(transfer({ sender: "" }), { keyPairOf }))).toBe(
      '{"cause":"java.util.NoSuchElementException: next on empty iterator"}',
    );
    expect(refused(request(transfer(), { keyPairOf }))).toBe("InvalidPublicKey(missing senderPublicKey)");
  });

  it("use the clock only without a timestamp", () => {
    let calls = 0;
    const timestamp = () => {
      calls += 1;
      return 1234n;
    };
    expect(accepted(request(transfer({ sender }), { keyPairOf, timestamp })).timestamp).toBe(1234n);
    expect(accepted(request(transfer({ sender, timestamp: 5 }), { keyPairOf, timestamp })).timestamp).toBe(
      5n,
    );
    expect(accepted(request(transfer({ sender }), { keyPairOf })).timestamp).toBe(0n);
    expect(calls).toBe(1);
  });

  it("take their type from the path, and their fee from the caller", () => {
    const tx = accepted(
      request({ ...transfer({ sender }), type: "nonsense" }, { keyPairOf, typeName: "transfer" }),
    );
    expect(tx.type).toBe(4);
    expect(refused(request(transfer(), { typeName: "mass_transfer" }))).toBe(
      "GenericError(Bad transaction type (mass_transfer))",
    );
    expect(refused(request(transfer(), { typeName: "genesis" }))).toBe(
      "GenericError(Unsupported transaction type (1))",
    );
    const fee = 100000000000n;
    expect(accepted(request(transfer({ senderPublicKey: "1", fee: "nonsense" }), { fee })).fee).toBe(fee);
    expect(refused(request({}, { fee }))).toContain(
      `'type' is undefined on object: {\\"fee\\":100000000000}`,
    );
  });

  it("list every error in proofs at the member itself", () => {
    expect(refused(request(transfer({ senderPublicKey: "1", proofs: ["0", 1] })))).toBe(
      JSON.stringify({
        cause: null,
        "obj.proofs": [
          { msg: ["invalid.base58"], args: ["assertion failed: Wrong char '0' in Base58 string '0'"] },
          { msg: ["expected.string"], args: [] },
        ],
      }),
    );
  });

  it("require objects as elements of transfers and accounts", () => {
    const problem = [{ msg: ["error.expected.jsobject"], args: [] }];
    for (const element of [5, "a", null, true, []]) {
      expect(refused(request({ type: 11, fee: 1, transfers: [element] }))).toBe(
        JSON.stringify({ cause: null, "obj.transfers[0]": problem }),
      );
      expect(refused(request({ type: 20, fee: 1, accounts: [element] }))).toBe(
        JSON.stringify({ cause: null, "obj.accounts[0]": problem }),
      );
    }
  });

  it("limit numbers with enormous exponents", () => {
    const text = (amount: string) =>
      `{"type":4,"fee":1,"amount":${amount},"recipient":"${sponsor}","senderPublicKey":"1"}`;
    const read = (amount: string) => transactionFromRequest(parseJson(text(amount)), { network });
    for (const amount of ["1e999999999", "1e-999999999", "1e20", `1${"0".repeat(100_000)}`]) {
      expect(refused(read(amount))).toContain("error.expected.long");
    }
    expect(refused(read("0e999999999"))).toBe("NegativeAmount(0,lto)");
    const data = (value: string) =>
      transactionFromRequest(
        parseJson(
          `{"type":12,"fee":1,"senderPublicKey":"1","data":[{"key":"k","type":"integer","value":${value}}]}`,
        ),
        { network },
      );
    const readValue = (value: string) =>
      (accepted(data(value)) as { data?: readonly { value: unknown }[] }).data?.[0]?.value;
    expect(readValue("1e999999999")).toBe(0n);
    expect(readValue("-1e-999999999")).toBe(0n);
  });

  it("do not decode Base58 that is too long for any member", () => {
    // Decoding one of these would take minutes.
    const long = "z".repeat(1_000_000);
    const read = (members: Record<string, unknown>) => refused(request({ senderPublicKey: "1", ...members }));
    expect(read(transfer({ attachment: long }))).toBe("TooBigArray");
    expect(read(transfer({ signature: long }))).toBe("GenericError(Too large proof, must be max 64 bytes)");
    expect(read(transfer({ proofs: [long] }))).toContain(
      "GenericError(Too large proof, must be max 64 bytes)",
    );
    expect(read({ type: 9, fee: 1, leaseId: long })).toBe("GenericError(Lease transaction id is invalid)");
    expect(read({ type: 23, fee: 1, statementType: 1, subject: long })).toBe(
      "GenericError(Subject length must be <= 256 bytes)",
    );
    expect(read(transfer({ attachment: `${long}0` }))).toContain(
      "Error parsing base58: assertion failed: Wrong char '0'",
    );
  });

  it("replace lone surrogates as the bytes do", () => {
    const data = ["a\ud800", "a?"].map((name) => ({ key: name, type: "boolean", value: true }));
    expect(refused(request({ type: 12, fee: 1, senderPublicKey: "1", data }))).toBe(
      "GenericError(Duplicate keys found)",
    );
  });

  it("keep an expiry of 0 until it passes through bytes", () => {
    const tx = accepted(
      request(
        { type: 16, fee: 1, sender, associationType: 1, recipient: sponsor, expires: 0 },
        { keyPairOf },
      ),
    );
    expect(transactionJson(tx).get("expires")).toBe(0n);
    const again = parseTransaction(transactionBytes(tx), network);
    expect(transactionJson(again).has("expires")).toBe(false);
    expect(transactionId(again)).toEqual(transactionId(tx));
  });
});

describe("static rules", () => {
  it("check the chain id", () => {
    const tx = accepted(request(transfer({ senderPublicKey: "1" })));
    expect(errorText(staticCheck(tx, { chainId: 200, payment: true }) ?? { kind: "none", args: [] })).toBe(
      "WrongChainId(90)",
    );
  });

  it("add amounts in order", () => {
    const transfers = [{ recipient: addressText(bobAddress), amount: 1 }];
    const tx = accepted(
      request({ type: 11, fee: 1, senderPublicKey: "1", transfers }),
    ) as MassTransferTransaction;
    const big = { recipient: bobAddress, amount: INT64_MAX - tx.fee };
    expect(staticCheck({ ...tx, transfers: [big] }, network)).toBeUndefined();
    expect(staticCheck({ ...tx, transfers: [big, { ...big, amount: 1n }] }, network)?.kind).toBe(
      "OverflowError",
    );
  });
});

describe("mass transfer", () => {
  it("shows the transfers to one address", () => {
    const transfers = [bobAddress, aliceAddress, bobAddress].map((recipient, i) => ({
      recipient: addressText(recipient),
      amount: i,
    }));
    const tx = accepted(
      request({ type: 11, fee: 1, senderPublicKey: "1", transfers }),
    ) as MassTransferTransaction;
    const shown = definitionOf(tx).recipientJson?.(tx, bobAddress);
    expect(printJson(shown?.transfers)).toBe(JSON.stringify([transfers[0], transfers[2]]));
    const json = parseJson(printJson(transactionJson(tx))) as JsonObject;
    expect(printJson(json.get("totalAmount"))).toBe("3");
  });
});
