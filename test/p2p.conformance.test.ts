/**
 * Plays recorded connections between a client and the reference against a whole node of ours: it sends what was
 * recorded, except for times and nonces, and ends at the recorded tip.
 */
import { describe, expect, test } from "vitest";
import { genesisBlock } from "../src/blocks/genesis.ts";
import { encodeBase58 } from "../src/bytes/base58.ts";
import { encodeHex } from "../src/bytes/hex.ts";
import type { Received } from "../src/peers/wire/connection-decoder.ts";
import { OTHER_PORT, type Played, type Replay, replay } from "./p2p/replay.ts";
import { meaningOf, type RecordedConnection, transcripts, UnitPool } from "./p2p/transcript.ts";

const all = transcripts();
const pools = new Map<string, UnitPool>();

/** The units of all transcripts of the same network. */
function poolOf(transcript: (typeof all)[number]): UnitPool {
  const genesis = genesisBlock(transcript.profile);
  const key = encodeHex(genesis.signature);
  const known = pools.get(key);
  if (known !== undefined) return known;
  const pool = new UnitPool(genesis, all, transcript.profile);
  pools.set(key, pool);
  return pool;
}

const text = encodeBase58;

/** A message as one string. */
function said(message: Received): string {
  switch (message.type) {
    case "Handshake": {
      const { applicationName, version, nodeName, nonce, declaredAddress } = message.handshake;
      const { major, minor, patch } = version;
      const declared = declaredAddress === undefined ? "" : `${declaredAddress.host}:${declaredAddress.port}`;
      return `${applicationName} ${major}.${minor}.${patch} ${nodeName} ${nonce} ${declared}`;
    }
    case "Peers":
      return message.addresses.map(({ host, port }) => `${host}:${port}`).join(" ");
    case "GetSignatures":
      return message.ids.map(text).join(" ");
    case "Signatures":
      // The reference repeats the first id if it has successors.
      return message.ids
        .map(text)
        .filter((id, i, ids) => i === 0 || id !== ids[i - 1])
        .join(" ");
    case "GetBlock":
    case "MicroBlockRequest":
      return text(message.id);
    case "Score":
      return String(message.score);
    case "Block":
      return text(message.scan.header.signature) + encodeHex(message.bytes);
    case "MicroBlockResponse":
    case "Transaction":
      return encodeHex(message.bytes);
    case "MicroBlockInv":
      return text(message.announcement.totalSignature) + text(message.announcement.signature);
    default:
      return "";
  }
}

const ofType = (messages: readonly Received[], type: Received["type"]): string[] =>
  messages.filter((message) => message.type === type).map(said);

/** Removes repetitions. Block requests and blocks may come in any order. */
const unique = (texts: readonly string[]): string[] => [...new Set(texts)].sort();

function recordedOf({ recorded }: Played, dir: "in" | "out"): Received[] {
  return recorded.events.filter((event) => event.dir === dir).flatMap(meaningOf);
}

/**
 * Compares the peers that our node sends with those that the reference sent at the same place. The reference also knew
 * some peers from earlier, which the recording does not name.
 */
function expectPeers(played: Played, named: ReadonlySet<string>): void {
  const addresses = (messages: readonly Received[]) =>
    messages.flatMap((message) =>
      message.type === "Peers" ? [message.addresses.map(({ host, port }) => `${host}:${port}`)] : [],
    );
  const theirs = addresses(recordedOf(played, "in")).map((list) => list.filter((one) => named.has(one)));
  expect(addresses(played.ours)).toEqual(theirs);
}

/** Addresses that the played side sends or has. */
function namedIn(connections: readonly RecordedConnection[]): ReadonlySet<string> {
  const said = connections.flatMap(({ events }) =>
    events.filter(({ dir }) => dir === "out").flatMap((event) => meaningOf(event)),
  );
  const named = said.flatMap((message) => {
    if (message.type === "Peers") return message.addresses;
    return message.type === "Handshake" ? (message.handshake.declaredAddress ?? []) : [];
  });
  const isDialled = connections.some(({ dialled_by }) => dialled_by === "reference");
  const dialled = isDialled ? [{ host: "127.0.0.1", port: OTHER_PORT }] : [];
  return new Set([...named, ...dialled].map(({ host, port }) => `${host}:${port}`));
}

/**
 * Returns true if our node accepts all messages: it is less strict than the reference with messages of honest nodes.
 */
function isTakenByOurs({ recorded: { events } }: Played): boolean {
  return events.every((event) => event.dir !== "out" || meaningOf(event).length > 0);
}

/** Checks how our node disconnects a peer that breaks the protocol. */
function expectParting(played: Played): void {
  const { recorded, endedByUs, reason } = played;
  const closed = recorded.events.some(({ dir, by }) => dir === "closed" && by === "reference");
  const isMalformed = recorded.blacklist_reason?.startsWith(MALFORMED) ?? false;
  // Lists of addresses and checkpoints that exceed the reference's limit.
  if (isMalformed && isTakenByOurs(played)) return;
  expect(endedByUs).toBe(closed);
  if (recorded.blacklist_reason === undefined) return;
  // The reference continues after the first error and reports the last one (page 04 §6.2). The frame tests check the
  // first error of each recorded frame.
  if (isMalformed) expect(reason).toMatch(MALFORMED);
  else expect(reason ?? null).toBe(recorded.blacklist_reason);
}

const MALFORMED = "Malformed network message: java.lang.";

describe.each(all.map((transcript) => [transcript.name, transcript] as const))("%s", (_, transcript) => {
  const asClient = transcript.reference_settings["miner.enable"];
  const named = namedIn(transcript.connections);
  let played: Promise<Replay> | undefined;
  const result = () => {
    played ??= replay(transcript, poolOf(transcript));
    return played;
  };

  test.each(transcript.connections.map((recorded, i) => [recorded.name, i] as const))(
    "%s",
    async (_name, i) => {
      const one = (await result()).played[i];
      const { ours } = one;
      const theirs = recordedOf(one, asClient ? "out" : "in");
      const both = (type: Received["type"]) => [ofType(ours, type), ofType(theirs, type)] as const;
      const expectSame = (
        type: Received["type"],
        order: (texts: readonly string[]) => unknown = (all) => all,
      ) => {
        const [here, there] = both(type);
        expect(order(here), type).toEqual(order(there));
      };
      if (!asClient) {
        expectSame("Handshake");
        expectSame("GetPeers", ({ length }) => length > 0);
        for (const type of ["Signatures", "MicroBlockRequest", "MicroBlockInv"] as const) expectSame(type);
        for (const type of ["MicroBlockResponse", "Transaction", "Score"] as const) expectSame(type, unique);
        // The newest score is that of the tip.
        expectSame("Score", (scores) => scores.at(-1));
        // Reverted blocks are still available on request: page 04 §26, rule 11.
        const [here, there] = both("Block");
        expect(unique(here)).toEqual(expect.arrayContaining(unique(there)));
        const asked = ofType(recordedOf(one, "out"), "GetBlock");
        for (const more of here.filter((block) => !there.includes(block)))
          expect(asked.some((id) => more.startsWith(id))).toBe(true);
        expectPeers(one, named);
        expectParting(one);
      } else expectSame("MicroBlockRequest");
      // Our node later requests what the peer pushed before our node connected.
      const pushed = recordedOf(one, asClient ? "in" : "out").flatMap((message) =>
        message.type === "Block" ? [encodeBase58(message.scan.header.signature)] : [],
      );
      const [wanted, recordedly] = both("GetBlock");
      expect(unique(wanted)).toEqual(expect.arrayContaining(unique(recordedly)));
      expect(wanted.filter((id) => !recordedly.includes(id) && !pushed.includes(id))).toEqual([]);
      const [asks, asked] = both("GetSignatures");
      expect(asks.length > 0).toBe(asked.length > 0);
      // Our node may add older ids after those of the reference.
      if (asked.length > 0) expect(asks[0].startsWith(asked[0])).toBe(true);
    },
  );

  test("ends at the recorded tip", async () => {
    const { node, tip } = await result();
    expect(encodeBase58(node.chain.tip.id)).toBe(encodeBase58(tip));
    await node.stop();
  });
});
