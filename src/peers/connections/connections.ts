/** Page 04 §4, §5, §9. */
import { reasonOf } from "../../bytes/errors.ts";
import { encodeHex } from "../../bytes/hex.ts";
import { canonicalHost, originOf } from "../../bytes/ip.ts";
import type { Clock, Connection, Listening, Log, Random, Transport } from "../../interfaces.ts";
import { contain } from "../../runtime/contain.ts";
import type { PeerDatabase } from "../database/peer-database.ts";
import type { PeerCounters } from "../metrics.ts";
import type { ConnectionOptions } from "../options.ts";
import { formatPeerAddress, type PeerAddress } from "../peer-address.ts";
import { encodeFrame } from "../wire/frame.ts";
import { connectionKey, type Handshake, handshakeRefusal, verifiedAddress } from "../wire/handshake.ts";
import { messageDefinitions } from "../wire/message-definitions.ts";
import type { Message, MessageType, ReceivedMessage } from "../wire/messages.ts";
import type { Penalty } from "../wire/wire-error.ts";
import { ConnectedPeer } from "./connected-peer.ts";
import { chooseEviction } from "./eviction.ts";
import { InboundGate } from "./inbound-gate.ts";
import { MAX_TOTAL_HELD, MAX_TOTAL_PENDING, SERVE_AFTER_SCORE_MS } from "./limits.ts";
import { Link, type LinkOwner } from "./link.ts";
import { ByteTotal } from "./outbox.ts";
import type { OwnNode } from "./own-node.ts";
import type { MessageHandler, Peer, PeerNetwork } from "./peer.ts";

const TOUCH_INTERVAL_MS = 60_000;

interface ConnectionsDependencies {
  readonly clock: Clock;
  readonly random: Random;
  readonly transport: Transport;
  readonly log: Log;
  readonly database: PeerDatabase;
  readonly ownNode: OwnNode;
  readonly options: ConnectionOptions;
  readonly counters: PeerCounters;
}

interface LinkRecord {
  readonly link: Link;
  readonly releaseSlot: () => void;
  readonly dialled: PeerAddress | undefined;
  /** Undefined, like `key`, until the handshake is accepted. */
  peer: ConnectedPeer | undefined;
  key: string | undefined;
  /** Monotonic, ms. */
  touchedAt: number;
}

function addressOf({ host, port }: Link): PeerAddress {
  return { host: canonicalHost(host), port };
}

function reachableAddresses({ link, dialled, peer }: LinkRecord): PeerAddress[] {
  const verified = peer && verifiedAddress(peer.host, peer.handshake);
  const addresses = dialled === undefined ? [] : [addressOf(link), dialled];
  return verified === undefined ? addresses : [...addresses, verified];
}

type AnyHandler = (peer: Peer, message: never) => Promise<void> | void;

export class Connections implements PeerNetwork, LinkOwner {
  readonly #dependencies: ConnectionsDependencies;
  readonly #gate: InboundGate;
  readonly #links = new Map<Link, LinkRecord>();
  readonly #peers = new Map<ConnectedPeer, LinkRecord>();
  readonly #connectionKeys = new Set<string>();
  readonly #handlers = new Map<MessageType, AnyHandler>();
  readonly #connectedListeners: ((peer: Peer) => void)[] = [];
  readonly #closedListeners: ((peer: Peer) => void)[] = [];
  readonly #heldBytes = new ByteTotal();
  readonly #unsentBytes = new ByteTotal();
  readonly #quietWhenSent: ReadonlySet<number>;
  readonly #quietWhenReceived: ReadonlySet<number>;
  #listening: Listening | undefined;
  #lastScoreAt: number | undefined;
  #isStopped = false;

  constructor(dependencies: ConnectionsDependencies) {
    const { clock, database, options } = dependencies;
    this.#dependencies = dependencies;
    this.#gate = new InboundGate({
      clock,
      database,
      options,
      makeRoom: (newcomer, mayDisplace) => this.#evict(newcomer, mayDisplace),
    });
    this.#quietWhenSent = new Set(options.quietWhenSent);
    this.#quietWhenReceived = new Set(options.quietWhenReceived);
  }

  get peers(): Iterable<Peer> {
    return this.#peers.keys();
  }

  get count(): number {
    return this.#peers.size;
  }

  get unsentBytes(): number {
    return this.#unsentBytes.bytes;
  }

  get outboundCount(): number {
    return [...this.#links.values()].filter(({ dialled }) => dialled !== undefined).length;
  }

  get listeningPort(): number | undefined {
    return this.#listening?.port;
  }

  connectedAddresses(): PeerAddress[] {
    return [...this.#links.values()].flatMap((record) => [
      addressOf(record.link),
      ...reachableAddresses(record),
    ]);
  }

  on<T extends MessageType>(type: T, handler: MessageHandler<T>): void {
    if (this.#handlers.has(type)) throw new Error(`${type} has a handler already`);
    this.#handlers.set(type, handler);
  }

  onConnected(listener: (peer: Peer) => void): void {
    this.#connectedListeners.push(listener);
  }

  onClosed(listener: (peer: Peer) => void): void {
    this.#closedListeners.push(listener);
  }

  broadcast(message: Message, except?: ReadonlySet<Peer>): void {
    if (this.#peers.size === 0) return;
    const frame = encodeFrame(message);
    for (const peer of [...this.#peers.keys()])
      if (except?.has(peer) !== true) peer.sendFrame(frame, message);
  }

  async listen(): Promise<void> {
    const { transport, ownNode, log, options } = this.#dependencies;
    if (options.listen === undefined) return;
    const { host, port } = options.listen;
    try {
      this.#listening = await transport.listen(host, port, (connection) => this.#accept(connection));
    } catch (error) {
      log.warn(`Cannot listen on ${formatPeerAddress(options.listen)}: peers cannot connect`, {
        reason: reasonOf(error),
      });
      return;
    }
    if (this.#listening === undefined) return;
    ownNode.setPort(this.#listening.port);
    log.info(`Peers can connect at ${formatPeerAddress({ host, port: this.#listening.port })}`);
  }

  /**
   * Never rejects.
   * @param address has an IP address as host
   * @param dialled the address before its name was resolved
   */
  async dial(address: PeerAddress, dialled = address): Promise<void> {
    const { transport, database, log, options } = this.#dependencies;
    if (this.#isStopped) return;
    try {
      const connection = await transport.dial(address.host, address.port, options.dialTimeoutMs);
      this.#openLink(connection, dialled, () => {});
    } catch (error) {
      const reason = reasonOf(error);
      log.debug("Cannot connect to a peer", { peer: formatPeerAddress(dialled), reason });
      database.suspend(address);
      database.suspend(dialled);
    }
  }

  blacklist(host: string, reason: string): void {
    const banned = originOf(host);
    for (const peer of [...this.#peers.keys()]) if (originOf(peer.host) === banned) peer.blacklist(reason);
  }

  async stopListening(): Promise<void> {
    this.#isStopped = true;
    const listening = this.#listening;
    this.#listening = undefined;
    await listening?.close();
  }

  /** Closes all connections; call `stopListening` first. Page 04 §26, rule 10. */
  async closeAll(): Promise<void> {
    const { clock } = this.#dependencies;
    const elapsedMs =
      this.#lastScoreAt === undefined ? SERVE_AFTER_SCORE_MS : clock.monotonic() - this.#lastScoreAt;
    if (this.#peers.size > 0 && elapsedMs < SERVE_AFTER_SCORE_MS)
      await new Promise<void>((resolve) => clock.after(SERVE_AFTER_SCORE_MS - elapsedMs, resolve));
    for (const link of [...this.#links.keys()]) link.end("This node stops", "close");
  }

  onHandshake(link: Link, handshake: Handshake): void {
    const { ownNode, log, database, clock } = this.#dependencies;
    const record = this.#links.get(link);
    if (record === undefined) return;
    const refusal = handshakeRefusal(handshake, ownNode.applicationName);
    if (refusal !== undefined) {
      link.end(refusal.message, refusal.penalty);
      return;
    }
    if (ownNode.isSelf(link.host, handshake)) {
      if (record.dialled !== undefined) ownNode.addSelfAddress(record.dialled);
      link.end("Connected to this node itself", "close");
      return;
    }
    const ownDial = link.inbound ? this.#findSimultaneousDial(link, handshake) : undefined;
    if (ownDial !== undefined) {
      if (ownNode.winsTie(handshake)) {
        link.end("Duplicate connection: this node dialled the peer at the same time", "close");
        return;
      }
      ownDial.end("Duplicate connection: the peer dialled this node at the same time", "close");
    }
    const key = connectionKey(link.host, handshake);
    if (this.#connectionKeys.has(key)) {
      link.end("Duplicate connection: the peer is connected already", "close");
      return;
    }
    this.#connectionKeys.add(key);
    record.key = key;
    if (link.inbound) link.send(ownNode.handshake());
    const peer = new ConnectedPeer(link, handshake, clock, (to, message, length) =>
      this.#recordSent(to, message, length),
    );
    record.peer = peer;
    this.#peers.set(peer, record);
    if (record.dialled !== undefined) database.touch({ host: peer.host, port: peer.port });
    this.#touch(record);
    log.debug("Connected", { peer: peer.label, inbound: peer.inbound, name: handshake.nodeName });
    for (const listener of this.#connectedListeners) {
      if (peer.isClosed) return;
      this.#notify(`connection of ${peer.label}`, () => listener(peer));
    }
  }

  async onMessage(link: Link, message: ReceivedMessage): Promise<void> {
    const { log } = this.#dependencies;
    const record = this.#links.get(link);
    const peer = record?.peer;
    if (record === undefined || peer === undefined) return;
    if (!this.#quietWhenReceived.has(messageDefinitions[message.type].code))
      log.debug("Received", { peer: peer.label, type: message.type });
    this.#touch(record);
    const handler = this.#handlers.get(message.type);
    if (handler === undefined) return;
    const facts = { peer: peer.label, type: message.type };
    // Safe cast: the handler was registered for this type.
    await contain({ log, message: "Cannot handle a message", facts }, () => handler(peer, message as never));
  }

  onEnded(link: Link, reason: string, penalty: Penalty): void {
    const { log, database } = this.#dependencies;
    const record = this.#links.get(link);
    if (record === undefined) return;
    this.#links.delete(link);
    this.#dependencies.counters.ended(penalty);
    record.releaseSlot();
    const { key, peer, dialled } = record;
    if (key !== undefined) this.#connectionKeys.delete(key);
    if (penalty === "blacklist") {
      log.info("Peer banned", { peer: link.label, reason });
      database.blacklist(link.host, reason);
    } else log.debug("Connection closed", { peer: link.label, reason });
    if (!this.#isStopped && (dialled !== undefined || penalty === "suspend"))
      for (const address of reachableAddresses(record)) database.suspend(address);
    if (peer === undefined) return;
    this.#peers.delete(peer);
    for (const listener of this.#closedListeners) this.#notify(`end of ${peer.label}`, () => listener(peer));
  }

  onGrown(): void {
    while (this.#unsentBytes.bytes > MAX_TOTAL_PENDING)
      if (!this.#endLargest(({ pendingBytes }) => pendingBytes, "The peer reads too slowly")) break;
    while (this.#heldBytes.bytes > MAX_TOTAL_HELD)
      if (!this.#endLargest(({ heldBytes }) => heldBytes, "Too many bytes of incomplete messages")) break;
  }

  #endLargest(sizeOf: (link: Link) => number, reason: string): boolean {
    let largest: Link | undefined;
    for (const link of this.#links.keys())
      if (largest === undefined || sizeOf(link) > sizeOf(largest)) largest = link;
    largest?.end(reason, "close");
    return largest !== undefined;
  }

  /** Rejected peers receive no reason. Page 04 §4.2. */
  #accept(connection: Connection): void {
    const host = canonicalHost(connection.host);
    const entered = this.#isStopped ? undefined : this.#gate.enter(host);
    if (entered?.ok === true) {
      this.#openLink(connection, undefined, entered.value);
      return;
    }
    this.#dependencies.counters.rejected();
    const reason = entered?.error ?? "this node stops";
    this.#dependencies.log.debug("Connection rejected", { host, reason });
    connection.close();
  }

  /** Returns this node's unfinished dial of the peer at the other end of `link`. */
  #findSimultaneousDial(link: Link, handshake: Handshake): Link | undefined {
    const verified = verifiedAddress(link.host, handshake);
    if (verified === undefined) return undefined;
    const text = formatPeerAddress(verified);
    for (const { link: other, dialled, peer } of this.#links.values())
      if (dialled !== undefined && peer === undefined && text === formatPeerAddress(addressOf(other)))
        return other;
    return undefined;
  }

  #evict(newcomer: string, mayDisplace: () => boolean): boolean {
    const candidates = [...this.#links.values()]
      .filter(({ dialled }) => dialled === undefined)
      .map(({ link, peer }) => ({
        link,
        host: link.host,
        since: link.since,
        credit: peer?.earnedCredit.points ?? 0,
        lastCreditAt: peer?.earnedCredit.lastAddedAt ?? link.since,
        isConnected: peer !== undefined,
      }));
    const now = this.#dependencies.clock.monotonic();
    const evicted = chooseEviction(candidates, newcomer, now, mayDisplace);
    evicted?.link.end("Evicted for another peer", "close");
    return evicted !== undefined;
  }

  #openLink(connection: Connection, dialled: PeerAddress | undefined, releaseSlot: () => void): void {
    const { clock, random, log, ownNode, options, counters } = this.#dependencies;
    const inbound = dialled === undefined;
    const host = canonicalHost(connection.host);
    const link = new Link({
      clock,
      log,
      connection,
      label: `[${encodeHex(random.bytes(4))} ${formatPeerAddress({ host, port: connection.port })}]`,
      inbound,
      options,
      owner: this,
      heldTotal: this.#heldBytes,
      pendingTotal: this.#unsentBytes,
      counters,
    });
    this.#links.set(link, {
      link,
      releaseSlot,
      dialled,
      peer: undefined,
      key: undefined,
      touchedAt: Number.NEGATIVE_INFINITY,
    });
    if (this.#isStopped) {
      link.end("This node stops", "close");
      return;
    }
    // Send our handshake before the messages of listeners.
    if (!inbound) link.send(ownNode.handshake());
    link.start();
  }

  /** Records contact with the peer's verified address. Page 04 §18. */
  #touch(record: LinkRecord): void {
    const { clock, database } = this.#dependencies;
    const now = clock.monotonic();
    if (record.peer === undefined || now - record.touchedAt < TOUCH_INTERVAL_MS) return;
    record.touchedAt = now;
    const verified = verifiedAddress(record.peer.host, record.peer.handshake);
    if (verified !== undefined && verified.port > 0) database.touch(verified);
  }

  #recordSent(peer: ConnectedPeer, message: Message, length: number): void {
    const { clock, log, counters } = this.#dependencies;
    counters.sent(message.type, length);
    if (message.type === "Score") this.#lastScoreAt = clock.monotonic();
    if (!this.#quietWhenSent.has(messageDefinitions[message.type].code))
      log.debug("Sent", { peer: peer.label, type: message.type });
  }

  #notify(event: string, callListener: () => void): void {
    contain({ log: this.#dependencies.log, message: `A listener failed at the ${event}` }, callListener);
  }
}
