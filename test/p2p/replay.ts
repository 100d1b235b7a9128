/** Plays one side of a recorded transcript against a whole node of ours, which takes the place of the other side. */

import { bytesEqual, bytesKey } from "../../src/bytes/compare.ts";
import { decodeHex } from "../../src/bytes/hex.ts";
import type { Chain } from "../../src/chain/chain.ts";
import { atOnce } from "../../src/chain/testing/at-once.ts";
import type { Connection } from "../../src/interfaces.ts";
import { createNode, type Node } from "../../src/node.ts";
import { parsePeerAddress } from "../../src/peers/peer-address.ts";
import { peersOptions } from "../../src/peers/testing/peer-table.ts";
import { ConnectionDecoder, type Received } from "../../src/peers/wire/connection-decoder.ts";
import { encodeFrame } from "../../src/peers/wire/frame.ts";
import type { Message } from "../../src/peers/wire/messages.ts";
import { memoryStore } from "../../src/storage/memory-store.ts";
import { elapse } from "../../src/testing/elapse.ts";
import { SeededRandom } from "../../src/testing/seeded-random.ts";
import { settingsOf } from "../../src/testing/settings.ts";
import { simulatedEnvironment } from "../../src/testing/simulated-environment.ts";
import { type Host, SimulatedNetwork } from "../../src/testing/simulated-network.ts";
import { VirtualClock } from "../../src/testing/virtual-clock.ts";
import { fixedWallet } from "../../src/wallet/fixed-wallet.ts";
import {
  idOf,
  meaningOf,
  type RecordedConnection,
  type RecordedEvent,
  type Transcript,
  type UnitPool,
} from "./transcript.ts";

/** Time after the last event, ms: more than debounces and response timeouts. */
const AFTERWARDS = 15_000;

/** Time for connections to open, ms. */
const OPENING = 50;
/** Maximum ids per answer, as in the reference. */
const MAX_IDS = 101;
/** A client that closes a connection has received everything up to that millisecond. */
const LAST_WORD = 20;
/** Port of the recorded clients. */
export const OTHER_PORT = 6_896;

const hostOf = (address: string): Host => ({ address, run: (task) => task() });

/** What our node did on a connection. */
export interface Played {
  readonly recorded: RecordedConnection;
  /** Everything that our node sent, in order. */
  readonly ours: readonly Received[];
  /** Whether our node ended the connection. */
  readonly endedByUs: boolean;
  /** Reason for the ban of the address; undefined if it is not banned. */
  readonly reason: string | undefined;
}

export interface Replay {
  readonly node: Node;
  readonly played: readonly Played[];
  /** End of the recorded chain. */
  readonly tip: Uint8Array;
}

/** The played side. */
class Player {
  readonly ours: Received[] = [];
  isClosed = false;
  #closedHere = false;
  readonly #decoder: ConnectionDecoder;

  constructor(
    private readonly connection: Connection,
    clock: VirtualClock,
    private readonly answer: (message: Received) => Message[],
  ) {
    this.#decoder = new ConnectionDecoder(clock, 0);
    connection.onClose(() => {
      this.isClosed = true;
    });
    connection.onData((bytes) => {
      for (const message of this.#decoder.decode(bytes)) {
        this.ours.push(message);
        for (const reply of this.answer(message)) this.write(encodeFrame(reply));
      }
    });
  }

  get endedByUs(): boolean {
    return this.isClosed && !this.#closedHere;
  }

  write(bytes: Uint8Array): void {
    if (!this.isClosed) this.connection.write(bytes.slice()).catch(() => {});
  }

  close(): void {
    this.#closedHere = true;
    this.connection.close();
  }
}

/** Extends a chain from its genesis block to a unit of the pool. */
function bringTo(chain: Chain, pool: UnitPool, id: Uint8Array): void {
  for (const unit of pool.pathTo(id)) {
    const result =
      unit.kind === "block" ? chain.process(unit.block) : atOnce(chain.acceptMicroBlock(unit.micro));
    if (!result.ok) throw new Error(`The recorded chain is refused: ${result.error.printed}`);
  }
}

/** First message of a kind in one direction, over all connections. */
function firstOf<T extends Received["type"]>(
  { connections }: Transcript,
  dir: "in" | "out",
  type: T,
): Extract<Received, { type: T }> | undefined {
  for (const { events } of connections)
    for (const event of events)
      for (const message of event.dir === dir ? meaningOf(event) : [])
        if (message.type === type) return message as Extract<Received, { type: T }>;
  return undefined;
}

/**
 * Finds the initial chain of our node: it has the first score that was sent. If several states have that score, the
 * first message about the tip decides. Some clients send a score that they do not have; they start like the other side.
 */
function startOf(transcript: Transcript, pool: UnitPool): Uint8Array {
  const directions = transcript.reference_settings["miner.enable"]
    ? (["out", "in"] as const)
    : (["in"] as const);
  const scores = directions.flatMap((dir) => firstOf(transcript, dir, "Score")?.score ?? []);
  if (scores.length === 0) return pool.genesis.signature;
  const candidates = scores.map((score) => [...pool.withScore(score)]).find(({ length }) => length > 0);
  if (candidates === undefined) throw new Error(`No recorded chain has the score ${scores.join(" or ")}`);
  const named = [
    firstOf(transcript, "in", "GetSignatures")?.ids[0],
    firstOf(transcript, "in", "MicroBlockInv")?.announcement.reference,
    firstOf(transcript, "out", "Block")?.scan.header.reference,
    firstOf(transcript, "out", "MicroBlockInv")?.announcement.reference,
  ];
  for (const id of named) {
    const found = id && candidates.find((candidate) => bytesEqual(candidate, id));
    if (found !== undefined) return found;
  }
  return candidates[candidates.length - 1];
}

/**
 * Finds the end of a recorded chain: the unit with the highest score, and of several the last one that was sent. A
 * better chain supersedes what the node removed meanwhile.
 */
function endOf({ connections }: Transcript, pool: UnitPool, start: Uint8Array): Uint8Array {
  let end = start;
  const score = (id: Uint8Array) => pool.get(id)?.score ?? 0n;
  const events = connections.flatMap(({ events }) => events).sort((one, other) => one.ms - other.ms);
  for (const message of events.flatMap(meaningOf)) {
    const id =
      message.type === "Block"
        ? message.scan.header.signature
        : message.type === "MicroBlockResponse"
          ? message.scan.header.totalSignature
          : undefined;
    if (id !== undefined && pool.get(id) !== undefined && score(id) >= score(end) && isAhead(pool, id, end))
      end = id;
  }
  return end;
}

/** Returns true unless a unit is an earlier state of another unit's liquid block. */
function isAhead(pool: UnitPool, id: Uint8Array, end: Uint8Array): boolean {
  return !pool.pathTo(end).some((unit) => bytesEqual(idOf(unit), id));
}

/** Returns true if a connection was rejected because of another one that was not recorded. */
function isDuplicate({ events, blacklist_reason }: RecordedConnection): boolean {
  return (
    blacklist_reason === null &&
    events[0]?.type === "Handshake" &&
    events.some(({ dir, by }) => dir === "closed" && by === "reference") &&
    !events.some(({ dir }) => dir === "in")
  );
}

export async function replay(transcript: Transcript, pool: UnitPool): Promise<Replay> {
  const { profile, reference_settings: settings, connections } = transcript;
  // Our node cannot replace a forging reference, whose keys are unknown. In that case our node is the client.
  const asClient = settings["miner.enable"];
  const ourDirection = asClient ? "out" : "in";
  const declared = parsePeerAddress(settings["declared-address"]);
  const listen = asClient ? undefined : { host: "0.0.0.0", port: declared.port };
  const handshake = firstOf(transcript, "out", "Handshake")?.handshake;
  const beginning = connections
    .flatMap(({ events }) => events.flatMap(meaningOf))
    .flatMap((message) => (message.type === "Handshake" ? [Number(message.handshake.time) * 1_000] : []));
  const clock = new VirtualClock(Math.max(...beginning));
  const network = new SimulatedNetwork(clock, new SeededRandom(1), () => ({
    latencyMs: 1,
    jitterMs: 0,
    bytesPerMs: 10_000_000,
    loss: 0,
  }));
  const ourHost = hostOf(asClient ? "127.0.0.100" : declared.host);
  const node = createNode(
    simulatedEnvironment({
      clock,
      wallet: fixedWallet([], profile.chainId),
      store: memoryStore({ rollbackDepth: profile.rollbackDepth }),
      transport: network.transportOf(ourHost),
      hosts: { resolve: async (name) => [name], own: () => [] },
    }),
    settingsOf(profile, {
      forging: {
        enabled: false,
      },
      peers: peersOptions({
        listen,
        declaredAddress: asClient ? undefined : declared,
        nodeName: asClient ? handshake?.nodeName : settings["node-name"],
        nonce: asClient ? handshake?.nonce : BigInt(settings.nonce),
        maxOutbound: settings["max-outbound-connections"],
      }),
    }),
  );
  const start = startOf(transcript, pool);
  const tip = endOf(transcript, pool, start);
  bringTo(node.chain, pool, start);
  await node.start();
  await elapse(clock, 0);
  const { peers } = node;
  if (peers === undefined) throw new Error("The node has no peers");

  const players = new Map<RecordedConnection, Player>();
  const dial = (recorded: RecordedConnection): Promise<Connection> =>
    network.transportOf(hostOf(recorded.client_address)).dial(declared.host, declared.port, 1_000);
  /** Plays connections that were open at the same time. */
  const play = async (together: readonly RecordedConnection[]): Promise<void> => {
    for (const recorded of together) {
      const begin = (connection: Connection): void => {
        const answer = (message: Received) => answersTo(message, recorded, ourDirection, pool, tip);
        players.set(recorded, new Player(connection, clock, answer));
      };
      if (!asClient && recorded.dialled_by === "client") {
        if (isDuplicate(recorded)) {
          void dial(recorded).then((twin) => twin.write(decodeHex(recorded.events[0].hex ?? "")));
          await elapse(clock, OPENING);
        }
        void dial(recorded).then(begin);
        continue;
      }
      const port = asClient ? declared.port : OTHER_PORT;
      const host = hostOf(asClient ? declared.host : "127.0.0.1");
      const listening = await network.transportOf(host).listen("", port, (connection) => {
        void listening?.close();
        begin(connection);
      });
      // Our node itself dials peers that another peer announced.
      if (settings["max-outbound-connections"] === 0 || asClient) peers.connect({ host: host.address, port });
    }
    await elapse(clock, OPENING);
    const opened = clock.monotonic();
    const steps = together.flatMap((recorded) => {
      const answers = answersOf(recorded);
      return recorded.events.flatMap((event) => {
        const run = answers.has(event)
          ? undefined
          : stepOf(event, ourDirection, () => players.get(recorded), node);
        return run === undefined
          ? []
          : [{ at: opened + event.ms + (event.dir === "closed" ? LAST_WORD : 0), run }];
      });
    });
    steps.sort((one, other) => one.at - other.at);
    for (const { at, run } of steps) {
      await elapse(clock, Math.max(0, at - clock.monotonic()));
      // Advance the clock for everything that takes time.
      void run();
      await elapse(clock, 0);
    }
    const last = Math.max(...together.flatMap(({ events }) => events.map(({ ms }) => ms)));
    await elapse(clock, Math.max(0, opened + last - clock.monotonic()) + OPENING);
  };
  const atOnce = /\bTimes count from the opening of the first connection\b/.test(transcript.description);
  for (const together of atOnce ? [connections] : connections.map((recorded) => [recorded]))
    await play(together);
  await elapse(clock, AFTERWARDS);
  const reasons = new Map(peers.database.blacklisted().map(({ host, reason }) => [host, reason]));
  return {
    node,
    tip,
    played: connections.map((recorded) => {
      const player = players.get(recorded);
      return {
        recorded,
        ours: player?.ours ?? [],
        endedByUs: player?.endedByUs ?? false,
        reason: reasons.get(recorded.client_address),
      };
    }),
  };
}

/** Returns the unprompted action of the played side for an event; undefined if there is none. */
function stepOf(
  { dir, hex, by, text }: RecordedEvent,
  ourDirection: "in" | "out",
  player: () => Player | undefined,
  node: Node,
): (() => void | Promise<void>) | undefined {
  if (dir === "closed") return by === "client" ? () => player()?.close() : undefined;
  const rollback = /^REST rollback to height (\d+)$/.exec(text ?? "");
  if (rollback !== null)
    return async () => {
      await node.control.chain.rollback(Number(rollback[1]), true);
    };
  if (dir === "note" || dir === ourDirection || hex === undefined) return undefined;
  return () => player()?.write(decodeHex(hex));
}

/** Events of a connection that answer earlier requests. */
function answersOf({ events }: RecordedConnection): ReadonlySet<RecordedEvent> {
  const asked = new Set<string>();
  const answers = new Set<RecordedEvent>();
  for (const event of events)
    for (const message of meaningOf(event)) {
      if (message.type === "GetBlock" || message.type === "MicroBlockRequest")
        asked.add(bytesKey(message.id));
      const isAnswer =
        message.type === "Signatures" ||
        (message.type === "Block" && asked.has(bytesKey(message.scan.header.signature))) ||
        (message.type === "MicroBlockResponse" && asked.has(bytesKey(message.scan.header.totalSignature)));
      if (isAnswer) answers.add(event);
    }
  return answers;
}

/** Answers of the played side: what it sent on this connection, by content. */
function answersTo(
  message: Received,
  { events }: RecordedConnection,
  ourDirection: "in" | "out",
  pool: UnitPool,
  tip: Uint8Array,
): Message[] {
  const said = events.filter(({ dir }) => dir !== ourDirection).flatMap(meaningOf);
  if (message.type === "GetBlock") {
    const found = said.find(
      (one) => one.type === "Block" && bytesEqual(one.scan.header.signature, message.id),
    );
    if (found?.type === "Block") return [{ type: "Block", bytes: found.bytes }];
    const unit = pool.get(message.id);
    return unit?.kind === "block" && unit.bytes.length > 0 ? [{ type: "Block", bytes: unit.bytes }] : [];
  }
  if (message.type === "MicroBlockRequest") {
    const found = said.find(
      (one) => one.type === "MicroBlockResponse" && bytesEqual(one.scan.header.totalSignature, message.id),
    );
    return found?.type === "MicroBlockResponse" ? [{ type: "MicroBlockResponse", bytes: found.bytes }] : [];
  }
  if (message.type !== "GetSignatures") return [];
  const chain = pool
    .pathTo(tip)
    .flatMap((unit) => (unit.kind === "block" && unit.bytes.length > 0 ? [unit.block.signature] : []));
  for (const id of message.ids) {
    const answers = said.flatMap((one) => (one.type === "Signatures" && one.ids.length > 0 ? [one.ids] : []));
    // Our node requests at another time than the recorded one, when the other side has more.
    const at = chain.findIndex((known) => bytesEqual(known, id));
    if (at >= 0) answers.push(chain.slice(at, at + MAX_IDS));
    const fitting = answers.filter(([first]) => bytesEqual(first, id));
    const [ids] = fitting.sort((one, other) => other.length - one.length);
    if (ids !== undefined) return [{ type: "Signatures", ids }];
  }
  return [];
}
