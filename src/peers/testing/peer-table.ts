/** Nodes and bare connections on a simulated network. */
import type { Connection, Hosts, Transport } from "../../interfaces.ts";
import type { Metrics } from "../../runtime/metrics.ts";
import { RecordingLog } from "../../testing/dev-node.ts";
import { elapse } from "../../testing/elapse.ts";
import { SeededRandom } from "../../testing/seeded-random.ts";
import { noHosts } from "../../testing/simulated-environment.ts";
import { type Direction, type Host, SimulatedNetwork } from "../../testing/simulated-network.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { type ConnectionLayer, createConnectionLayer } from "../connections/connection-layer.ts";
import type { PeersFile } from "../database/peers-file.ts";
import { type ConnectionOptions, DEFAULT_PEER_OPTIONS, type PeersOptions } from "../options.ts";
import { ConnectionDecoder, type Received } from "../wire/connection-decoder.ts";
import { encodeFrame } from "../wire/frame.ts";
import { encodeHandshake, type Handshake } from "../wire/handshake.ts";
import type { Message, MessageType, ReceivedMessage } from "../wire/messages.ts";
import { defaultSyncOptions } from "./branch.ts";

const MINUTE = 60_000;
const FAST: Direction = { latencyMs: 1, jitterMs: 0, bytesPerMs: 10_000_000, loss: 0 };

/** The default settings of page 04 §23, for a node that listens on 6863. */
export function peersOptions(changes: Partial<ConnectionOptions> = {}): PeersOptions {
  return {
    connections: {
      listen: { host: "0.0.0.0", port: 6863 },
      declaredAddress: undefined,
      nodeName: "table",
      nonce: undefined,
      knownPeers: [],
      peersFile: undefined,
      ...DEFAULT_PEER_OPTIONS.connections,
      blacklistMs: 15 * MINUTE,
      suspensionMs: MINUTE,
      maxInbound: 30,
      maxOutbound: 30,
      maxInboundOfHost: 3,
      exchange: true,
      blacklisting: true,
      ...changes,
    },
    sync: defaultSyncOptions,
    gossip: DEFAULT_PEER_OPTIONS.gossip,
    microBlocks: DEFAULT_PEER_OPTIONS.microBlocks,
  };
}

/** Returns a handshake that nodes of the test network accept. */
export function handshakeOf(changes: Partial<Handshake> = {}): Handshake {
  return {
    applicationName: "ltoT",
    version: { major: 1, minor: 8, patch: 0 },
    nodeName: "client",
    nonce: 7n,
    declaredAddress: undefined,
    time: 1_700_000_000n,
    ...changes,
  };
}

/** A connection that a test controls. */
export class BareConnection {
  /** The received handshake and messages, in order. */
  readonly received: Received[] = [];
  isClosed = false;
  readonly #decoder: ConnectionDecoder;

  constructor(
    readonly connection: Connection,
    clock: VirtualClock,
    reads = true,
  ) {
    this.#decoder = new ConnectionDecoder(clock, 0);
    connection.onClose(() => {
      this.isClosed = true;
    });
    if (reads) connection.onData((bytes) => this.#take(bytes));
  }

  /** Sends bytes and ignores errors. */
  write(bytes: Uint8Array): void {
    this.connection.write(bytes).catch(() => {});
  }

  /** Sends a handshake. */
  introduce(changes: Partial<Handshake> = {}): void {
    this.write(encodeHandshake(handshakeOf(changes)));
  }

  say(...messages: Message[]): void {
    for (const message of messages) this.write(encodeFrame(message));
  }

  /** Types of the received messages, in order. */
  get types(): string[] {
    return this.received.map(({ type }) => type);
  }

  /** Returns the received messages of a type. */
  all<T extends MessageType>(type: T): ReceivedMessage<T>[] {
    // TypeScript does not narrow a union by a generic type.
    return this.received.filter((one) => one.type === type) as ReceivedMessage<T>[];
  }

  #take(bytes: Uint8Array): void {
    for (const one of this.#decoder.decode(bytes)) this.received.push(one);
  }
}

export interface TableNode {
  readonly peers: ConnectionLayer;
  readonly log: RecordingLog;
  readonly address: string;
}

/** A simulated network with one clock for all nodes. */
export class PeerTable {
  readonly clock = new VirtualClock(1_700_000_000_000);
  readonly network: SimulatedNetwork;
  #seed = 1;
  readonly #character: string;

  /** @param character chain id of all nodes */
  constructor(quality: Direction = FAST, character = "T") {
    this.#character = character;
    this.network = new SimulatedNetwork(this.clock, new SeededRandom(1), () => quality);
  }

  transport(address: string): Transport {
    const host: Host = { address, run: (task) => task() };
    return this.network.transportOf(host);
  }

  /** Starts a node. */
  async node(
    address: string,
    changes: Partial<ConnectionOptions> = {},
    world: { hosts?: Hosts; peersFile?: PeersFile; publicOnly?: boolean; metrics?: Metrics } = {},
  ): Promise<TableNode> {
    const log = new RecordingLog();
    const peers = createConnectionLayer({
      clock: this.clock,
      random: new SeededRandom(this.#seed++),
      transport: this.transport(address),
      hosts: world.hosts ?? { ...noHosts, own: () => [address] },
      log,
      peersFile: world.peersFile,
      chainId: this.#character.charCodeAt(0),
      publicOnly: world.publicOnly ?? false,
      metrics: world.metrics,
      options: peersOptions(changes).connections,
    });
    await peers.start();
    return { peers, log, address };
  }

  elapse(ms: number): Promise<void> {
    return elapse(this.clock, ms);
  }

  /** Dials a node without a handshake. */
  async dial(from: string, { address }: { readonly address: string }, reads = true): Promise<BareConnection> {
    const dialled = this.transport(from).dial(address, 6863, 1_000);
    // The await below reports a refusal.
    dialled.catch(() => {});
    await this.elapse(5);
    return new BareConnection(await dialled, this.clock, reads);
  }

  /** Dials a node and sends a handshake. */
  async connect(
    from: string,
    node: { readonly address: string },
    changes: Partial<Handshake> = {},
  ): Promise<BareConnection> {
    const connection = await this.dial(from, node);
    connection.introduce(changes);
    await this.elapse(5);
    return connection;
  }

  /** Listens at an address and returns the accepted connections. */
  async answer(address: string, port = 6863): Promise<BareConnection[]> {
    const accepted: BareConnection[] = [];
    await this.transport(address).listen(address, port, (connection) =>
      accepted.push(new BareConnection(connection, this.clock)),
    );
    return accepted;
  }
}
