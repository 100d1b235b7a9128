/**
 * A network in memory: `Transport`s on one clock, whose connections delay, split and lose data. Bytes arrive in
 * order or not at all, as with TCP. Connections do not affect each other.
 */
import type { Connection, Listening, Transport } from "../interfaces.ts";
import type { SeededRandom } from "./seeded-random.ts";
import { SimulatedPipe } from "./simulated-pipe.ts";
import type { VirtualClock } from "./virtual-clock.ts";

export interface Host {
  /** IP address. */
  readonly address: string;
  /** Runs a task for outside events as soon as the host is free; never after it was switched off. */
  run(task: () => void): void;
}

/** The quality of the network from one host to another. */
export interface Direction {
  /** In ms. */
  readonly latencyMs: number;
  /** Maximum additional latency, ms. */
  readonly jitterMs: number;
  readonly bytesPerMs: number;
  /** Percentage of segments that are lost and sent again. */
  readonly loss: number;
}

interface Link {
  readonly hosts: readonly [Host, Host];
  readonly ends: readonly [SimulatedEnd, SimulatedEnd];
}

/** First ephemeral port. */
const FIRST_PORT = 40_000;
/** Retransmission delay, ms. */
const RETRY_MS = 250;

const key = (host: string, port: number): string => `${host} ${port}`;

class ConnectError extends Error {
  override readonly name = "ConnectError";
}

interface Listener {
  readonly host: Host;
  readonly accept: (connection: Connection) => void;
}

export class SimulatedNetwork {
  readonly #listeners = new Map<string, Listener>();
  readonly #links = new Set<Link>();
  /** The partition of each host; hosts without one are in a common partition. */
  #parts = new Map<string, number>();
  #nextPort = FIRST_PORT;
  /** Number of dials per address where no host listens. */
  readonly unknown = new Map<string, number>();
  readonly #wayOf: (from: string, to: string) => Direction;

  /** @param wayOf returns the current quality between two hosts */
  constructor(
    readonly clock: VirtualClock,
    readonly random: SeededRandom,
    wayOf: (from: string, to: string) => Direction,
  ) {
    this.#wayOf = wayOf;
  }

  transportOf(host: Host): Transport {
    return {
      listen: async (_, port, onConnection) => this.#listen(host, port, onConnection),
      dial: (address, port, timeoutMs) => this.#dial(host, address, port, timeoutMs),
    };
  }

  /** Partitions the network: nothing passes between hosts of different parts until `heal`. */
  partition(parts: readonly (readonly string[])[]): void {
    this.#parts = new Map(parts.flatMap((hosts, i) => hosts.map((host) => [host, i] as const)));
  }

  /** Ends the partition. Data sent meanwhile on open connections arrives. */
  heal(): void {
    this.#parts.clear();
    for (const { ends } of this.#links) for (const end of ends) end.outgoing.resume();
  }

  /** Returns true if data passes between two hosts now. */
  reaches(from: string, to: string): boolean {
    return this.#parts.get(from) === this.#parts.get(to);
  }

  /** Resets a percentage of the connections between chosen hosts. */
  reset(share: number, chosen: (one: string, other: string) => boolean = () => true): number {
    let count = 0;
    for (const link of this.#links) {
      const [one, other] = link.hosts;
      if (!chosen(one.address, other.address) || !this.random.chance(share)) continue;
      count++;
      for (const end of link.ends) end.break();
    }
    return count;
  }

  /** Removes a host without closing its connections. The other ends notice when they can. */
  switchOff(host: Host): void {
    for (const [name, listener] of this.#listeners) if (listener.host === host) this.#listeners.delete(name);
    for (const link of this.#links) {
      const at = link.hosts.indexOf(host);
      if (at < 0) continue;
      link.ends[at].vanish();
      link.ends[1 - at].breakLater();
    }
  }

  /** Returns the maximum number of bytes that a host has queued for one connection. */
  mostWaiting(address: string): number {
    let most = 0;
    for (const { hosts, ends } of this.#links)
      hosts.forEach((host, i) => {
        if (host.address === address) most = Math.max(most, ends[i].outgoing.waitingBytes);
      });
    return most;
  }

  /** Number of open connections. */
  get size(): number {
    return this.#links.size;
  }

  #listen(host: Host, wanted: number, accept: (connection: Connection) => void): Listening {
    const port = wanted === 0 ? this.#nextPort++ : wanted;
    const name = key(host.address, port);
    if (this.#listeners.has(name)) throw new ConnectError(`port ${port} is in use`);
    const listener = { host, accept };
    this.#listeners.set(name, listener);
    return {
      port,
      close: async () => {
        if (this.#listeners.get(name) === listener) this.#listeners.delete(name);
      },
    };
  }

  #dial(host: Host, address: string, port: number, timeoutMs: number): Promise<Connection> {
    const { clock } = this;
    return new Promise((resolve, reject) => {
      let isOver = false;
      const end = (what: () => void): void => {
        if (isOver) return;
        isOver = true;
        cancel();
        host.run(what);
      };
      const fail = (why: string): void => end(() => reject(new ConnectError(`${address}:${port}: ${why}`)));
      const cancel = clock.after(timeoutMs, () => fail("no answer"));
      const knock = (): void => {
        if (isOver) return;
        if (!this.reaches(host.address, address)) {
          clock.after(4 * RETRY_MS, knock);
          return;
        }
        const back = this.delay(address, host.address);
        const listener = this.#listeners.get(key(address, port));
        if (listener === undefined) {
          const name = key(address, port);
          this.unknown.set(name, (this.unknown.get(name) ?? 0) + 1);
          clock.after(back, () => fail("connection refused"));
          return;
        }
        clock.after(back, () => {
          if (isOver) return;
          const [near, far] = this.#connect(host, listener.host, port);
          end(() => resolve(near));
          listener.host.run(() => listener.accept(far));
        });
      };
      clock.after(this.delay(host.address, address), knock);
    });
  }

  /** Returns the latency from one host to another, ms. */
  delay(from: string, to: string): number {
    const { latencyMs, jitterMs, loss } = this.#wayOf(from, to);
    const late = this.random.chance(loss) ? RETRY_MS : 0;
    return latencyMs + late + (jitterMs > 0 ? this.random.below(jitterMs + 1) : 0);
  }

  #connect(dialler: Host, acceptor: Host, port: number): readonly [SimulatedEnd, SimulatedEnd] {
    const from = this.#nextPort++;
    const pipe = (source: Host, target: Host): SimulatedPipe =>
      new SimulatedPipe({
        clock: this.clock,
        random: this.random,
        delay: () => this.delay(source.address, target.address),
        bytesPerMs: () => this.#wayOf(source.address, target.address).bytesPerMs,
        passes: () => this.reaches(source.address, target.address),
        receive: (task) => target.run(task),
        release: (task) => source.run(task),
      });
    const out = pipe(dialler, acceptor);
    const back = pipe(acceptor, dialler);
    const near = new SimulatedEnd(dialler, { host: acceptor.address, port }, out, back);
    const far = new SimulatedEnd(acceptor, { host: dialler.address, port: from }, back, out);
    const link: Link = { hosts: [dialler, acceptor], ends: [near, far] };
    this.#links.add(link);
    let open = 2;
    for (const end of link.ends)
      end.onEnd(() => {
        if (--open === 0) this.#links.delete(link);
      });
    return link.ends;
  }
}

class SimulatedEnd implements Connection {
  readonly host: string;
  readonly port: number;
  #isClosed = false;
  readonly #told: (() => void)[] = [];
  readonly #ended: (() => void)[] = [];
  readonly #owner: Host;
  readonly #incoming: SimulatedPipe;

  constructor(
    owner: Host,
    remote: { readonly host: string; readonly port: number },
    readonly outgoing: SimulatedPipe,
    incoming: SimulatedPipe,
  ) {
    this.#owner = owner;
    this.#incoming = incoming;
    this.host = remote.host;
    this.port = remote.port;
    incoming.onEnd(() => this.break());
  }

  get received(): number {
    return this.#incoming.delivered;
  }

  get sent(): number {
    return this.outgoing.taken;
  }

  onData(take: (bytes: Uint8Array) => Promise<void> | void): void {
    this.#incoming.onData(take);
  }

  onClose(told: () => void): void {
    if (this.#isClosed) this.#owner.run(told);
    else this.#told.push(told);
  }

  write(bytes: Uint8Array): Promise<void> {
    return this.outgoing.write(bytes);
  }

  close(): void {
    // Data on its way still arrives, then the end.
    this.outgoing.end();
    this.break();
  }

  /** Calls `told` when the connection has ended at this end. */
  onEnd(told: () => void): void {
    this.#ended.push(told);
  }

  /** Ends the connection here and now. */
  break(): void {
    if (this.#isClosed) return;
    this.vanish();
    for (const told of this.#told.splice(0)) this.#owner.run(told);
  }

  /** Ends the connection when the other end can be reached. */
  breakLater(): void {
    this.#incoming.end();
  }

  /** Ends the connection without telling this end. */
  vanish(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.outgoing.fail();
    this.#incoming.stop();
    for (const told of this.#ended.splice(0)) told();
  }
}
