/** The chain of the explorer's tests: transactions of every type, and hostile ones. */

import { decodeBase58 } from "../../../src/bytes/base58.ts";
import { encodeHex } from "../../../src/bytes/hex.ts";
import { encodeUtf8 } from "../../../src/bytes/utf8.ts";
import { sha256 } from "../../../src/crypto/hashes.ts";
import { compileScript } from "../../../src/script/index.ts";
import { certificate } from "../../../src/testing/random-transactions.ts";
import {
  alice,
  bob,
  carol,
  certified,
  everybody,
  mallory,
  north,
  root,
  scripted,
  south,
} from "./accounts.ts";
import { diplomaOf } from "./diploma.ts";
import * as hostile from "./hostile.ts";
import { renamed } from "./hostile-certificate.ts";
import { LTO, type Teller } from "./teller.ts";

/** An anchored file, and one that is not anchored. */
export const anchoredFile = { name: "contract.txt", bytes: encodeUtf8("Alice owes Bob a cow.\n") };
export const otherFile = { name: "other.txt", bytes: encodeUtf8("Alice owes Bob nothing.\n") };
export const anchoredHash = encodeHex(sha256(anchoredFile.bytes));
/** Hash of the credential in the statements. */
export const credential = sha256(encodeUtf8("a diploma"));

const none = new Uint8Array(0);
const text = (key: string, value: string) => ({ key, type: "string", value });
const flag = (key: string) => ({ key, type: "boolean", value: true });

export const SCRIPT_TEXT = `match tx {
  case t: TransferTransaction => t.amount <= 100000000 && sigVerify(tx.bodyBytes, tx.proofs[0], tx.senderPublicKey)
  case s: SetScriptTransaction => sigVerify(tx.bodyBytes, tx.proofs[0], tx.senderPublicKey)
  case _ => false
}`;

function compiled(source: string): Uint8Array {
  const result = compileScript(source);
  if (!result.ok) throw new Error(`does not compile: ${source}`);
  return result.value.bytes;
}

/** Transactions of every type. */
function daily(teller: Teller): void {
  const to = (keyPair: typeof alice) => teller.address(keyPair);
  teller.send("payment", "payment", alice, { recipient: to(bob), amount: 3n * LTO }, { version: 1 });
  teller.send(
    "transfer 1",
    "transfer",
    alice,
    { recipient: to(bob), amount: LTO, attachment: none },
    { version: 1 },
  );
  const attachment = encodeUtf8("rent for March");
  teller.send("transfer", "transfer", root, { recipient: to(alice), amount: 123_456_789_012n, attachment });
  teller.send("lease", "lease", alice, { recipient: to(north), amount: 1_000n * LTO });
  const leaseId = teller.send("ended lease", "lease", alice, { recipient: to(south), amount: 500n * LTO });
  teller.send("lease in", "lease", root, { recipient: to(alice), amount: 700n * LTO });
  teller.send("lease in 2", "lease", bob, { recipient: to(alice), amount: 70n * LTO });
  teller.send("data", "data", alice, {
    data: [
      text("colour", "green"),
      { key: "count", type: "integer", value: 9_007_199_254_740_993n },
      flag("open"),
      { key: "bytes", type: "binary", value: Uint8Array.of(1, 2, 3, 250) },
      text("did:service:web", '{"type":"LinkedDomains","serviceEndpoint":"https://alice.example"}'),
    ],
  });
  teller.send("sponsorship", "sponsorship", alice, { recipient: to(bob) });
  teller.send("ended sponsorship", "sponsorship", alice, { recipient: to(carol) });
  const transfers = [alice, bob, carol, certified].map((one, i) => ({
    recipient: to(one),
    amount: BigInt(i + 1) * LTO,
  }));
  teller.send("mass transfer", "mass transfer", root, { transfers, attachment: none });
  teller.send("register", "register", bob, {
    accounts: [
      { keyType: "ed25519", bytes: sha256(encodeUtf8("newcomer")) },
      { keyType: carol.keyType, bytes: carol.publicKey },
    ],
  });
  teller.send("burn", "burn", south, { amount: 42n * LTO });
  teller.send("anchor", "anchor", alice, { anchors: [sha256(anchoredFile.bytes)] });
  const anchors = Array.from({ length: 20 }, (_, i) => sha256(Uint8Array.of(i)));
  teller.send("many anchors", "anchor", carol, { anchors });
  teller.send("mapped anchor", "mapped anchor", alice, { anchors: [[credential, sha256(credential)]] });
  teller.send("certificate", "certificate", certified, { certificate });
  teller.send("set script", "set script", scripted, { script: compiled(SCRIPT_TEXT) });
  teller.blocks(2);
  teller.send("cancel lease", "cancel lease", alice, { leaseId });
  teller.send("cancel sponsorship", "cancel sponsorship", alice, { recipient: to(carol) });
  teller.send("sponsored", "transfer", bob, { recipient: to(carol), amount: 5n, attachment: none });
  const co = { sponsor: south };
  teller.send("co-signed", "transfer", carol, { recipient: to(bob), amount: 7n, attachment: none }, co);
  teller.blocks();
}

/** DIDs with changing keys and services, roles, and statements about a credential. */
function identities(teller: Teller): void {
  const to = (keyPair: typeof alice) => teller.address(keyPair);
  const associate = (name: string, from: typeof alice, type: bigint, recipient: typeof alice, more = {}) =>
    teller.send(
      name,
      "issue association",
      from,
      { associationType: type, recipient: to(recipient), data: [], ...more },
      { version: 4 },
    );
  const state = (name: string, from: typeof alice, type: bigint, more = {}) =>
    teller.send(name, "statement", from, { statementType: type, subject: credential, data: [], ...more });
  associate("authority", root, 100n, alice);
  teller.blocks();
  associate("university", alice, 101n, bob);
  associate("inspector", alice, 102n, carol);
  associate("method", alice, 0x101n, bob);
  associate("expiring method", alice, 0x104n, certified, { expires: BigInt(teller.clock.now() + 3_600_000) });
  associate("capability", alice, 0x108n, carol, {
    data: [{ key: "revokeDelay", type: "integer", value: 60_000n }],
  });
  associate("association", bob, 10n, alice, {
    subject: encodeUtf8("friends"),
    data: [text("since", "2019")],
  });
  associate("ended association", bob, 11n, carol);
  teller.blocks();
  teller.send("revoke association", "revoke association", bob, {
    associationType: 11n,
    recipient: to(carol),
  });
  teller.send("service", "data", alice, {
    data: [
      text(
        "did:service:mail",
        '{"type":"Mail","serviceEndpoint":["mailto:a@alice.example","https://alice.example/mail"]}',
      ),
    ],
  });
  state("credential", bob, 0x10n);
  state("diploma", bob, 0x10n, { subject: decodeBase58(diplomaOf(teller.text(bob)).statusId, 44) });
  teller.blocks();
  state("suspended", bob, 0x12n);
  teller.blocks();
  state("reinstated", bob, 0x13n);
  state("disputed", carol, 0x14n, { data: [text("why", "the mark is wrong")] });
  // A deactivated DID.
  teller.send("deactivated", "statement", south, { statementType: 0x120n, data: [] });
  teller.blocks();
}

/** Hostile transactions. */
function abuse(teller: Teller): void {
  const to = (keyPair: typeof alice) => teller.address(keyPair);
  for (const [i, attack] of hostile.shortTexts.entries()) {
    const attachment = encodeUtf8(attack).slice(0, 140);
    teller.send(`hostile transfer ${i}`, "transfer", mallory, {
      recipient: to(alice),
      amount: 1n,
      attachment,
    });
    const subject = encodeUtf8(attack).slice(0, 256);
    const terms = { associationType: 666n + BigInt(i), recipient: to(alice), subject };
    const data = [text(attack.slice(0, 100), attack)];
    teller.send(`hostile association ${i}`, "issue association", mallory, { ...terms, data }, { version: 4 });
    teller.send(`hostile statement ${i}`, "statement", mallory, {
      statementType: 0x15n,
      recipient: to(alice),
      subject: credential,
      data,
    });
  }
  teller.blocks();
  const entries = hostile.keys.map((key, i) => text(key, hostile.shortTexts[i % hostile.shortTexts.length]));
  teller.send("hostile data", "data", mallory, { data: entries });
  const long = [text("one word", hostile.LONG_WORD), text("tower", hostile.TOWER)];
  teller.send("hostile long data", "data", mallory, { data: long });
  const services = hostile.shortTexts.map((attack, i) => {
    const service = {
      id: `did:lto:${attack}`,
      type: attack,
      serviceEndpoint: attack,
      description: attack,
      [attack]: attack,
    };
    return text(`did:service:${i}`, JSON.stringify(service));
  });
  services.push(
    text(
      "did:service:script",
      JSON.stringify({ type: "LinkedDomains", serviceEndpoint: hostile.SCRIPT_URL }),
    ),
    text("did:service:data", JSON.stringify({ type: "LinkedDomains", serviceEndpoint: [hostile.DATA_URL] })),
    text(
      `did:service:${hostile.MARKUP}`.slice(0, 100),
      '{"type":"Web","serviceEndpoint":{"uri":"https://mallory.example"}}',
    ),
    text(
      "did:service:deep",
      JSON.stringify({ type: "Web", serviceEndpoint: { a: JSON.parse("[".repeat(60) + "]".repeat(60)) } }),
    ),
  );
  teller.send("hostile services", "data", mallory, { data: services });
  // The longest statement that the protocol allows: 100 entries of 1,024 bytes.
  const huge = Array.from({ length: 100 }, (_, i) =>
    text(`${i} ${"k".repeat(90)}`, hostile.MARKUP.repeat(20).slice(0, 1_024)),
  );
  teller.send(
    "hostile huge statement",
    "statement",
    mallory,
    { statementType: 0x15n, recipient: to(alice), data: huge },
    { fee: 100n * LTO },
  );
  teller.blocks();
  // A name cannot contain a zero byte.
  const names = hostile.shortTexts.map((attack) => attack.replaceAll("\u0000", ""));
  teller.send("hostile certificate", "certificate", certified, {
    certificate: renamed(certificate, names),
  });
  teller.blocks();
}

/** Sends the whole story. @param blocks further blocks with few transactions, the last one liquid */
export function tellStory(teller: Teller, blocks = 60): void {
  teller.blocks();
  daily(teller);
  identities(teller);
  abuse(teller);
  const to = everybody.map((one) => teller.address(one));
  for (let i = 0; i < blocks; i++) {
    for (let j = 0; j < (i * 7) % 4; j++) {
      const sender = [alice, bob, north, root][(i + j) % 4];
      const amount = (BigInt(1 + ((i * 31 + j) % 90)) * LTO) / 10n;
      const fee = LTO;
      teller.send(
        `filler ${i}.${j}`,
        "transfer",
        sender,
        { recipient: to[(i * j) % to.length], amount, attachment: none },
        { fee },
      );
      if (j === 2) teller.settle();
    }
    teller.blocks();
  }
  teller.send("newest", "transfer", bob, { recipient: to[0], amount: 2n * LTO, attachment: none });
  teller.settle();
}
