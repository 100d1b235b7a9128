/** A peer that lies: a program with an address, an account and one habit. */
import type { KeyPair } from "../../../src/crypto/signatures.ts";
import type { Connection } from "../../../src/interfaces.ts";
import type { Node } from "../../../src/node.ts";
import type { PeerAddress } from "../../../src/peers/peer-address.ts";
import type { Handshake } from "../../../src/peers/wire/handshake.ts";
import type { ReceivedMessage } from "../../../src/peers/wire/messages.ts";
import type { SeededRandom } from "../../../src/testing/seeded-random.ts";
import type { Transaction } from "../../../src/transactions/index.ts";
import type { Machine, MachineProcess } from "../machine.ts";
import type { RunLog } from "../run-log.ts";
import { PORT } from "../table.ts";
import { WireEnd } from "./wire-end.ts";

/** A kind of misbehaviour. */
export interface Habit {
  readonly name: string;
  /** Mean time between unprompted actions, ms. */
  readonly everyMs: number;
  /** Acts without a message. */
  act(liar: Liar): void;
  /** Reacts to a message from an honest node. */
  answer?(liar: Liar, end: WireEnd, message: ReceivedMessage): void;
}

export interface LiarOptions {
  readonly name: string;
  readonly machine: Machine;
  /** An account that may forge. */
  readonly keyPair: KeyPair;
  readonly chainId: number;
  readonly random: SeededRandom;
  readonly log: RunLog;
  readonly habit: Habit;
  /** The honest nodes. */
  readonly victims: readonly PeerAddress[];
  /** Called with each block whose forger lacks the stake for the declared score. */
  readonly phantom: (id: Uint8Array) => void;
  /** A transaction of an honest user. */
  readonly transaction: () => Transaction;
  /** An honest node, whose chain the liar uses as if it had followed it. */
  readonly spy: () => Node | undefined;
}

const RETRY_DELAY_MS = 8_000;
const DIAL_TIMEOUT_MS = 5_000;

export class Liar {
  readonly #ends = new Map<WireEnd, boolean>();
  readonly #process: MachineProcess;
  #isStopped = false;

  constructor(readonly options: LiarOptions) {
    this.#process = options.machine.start();
  }

  get random(): SeededRandom {
    return this.options.random;
  }

  get keyPair(): KeyPair {
    return this.options.keyPair;
  }

  now(): number {
    return this.#process.now();
  }

  /** Connections with a completed handshake. */
  get ends(): readonly WireEnd[] {
    return [...this.#ends].filter(([, greeted]) => greeted).map(([end]) => end);
  }

  log(message: string): void {
    this.options.log.write(this.options.name, message);
  }

  async start(): Promise<void> {
    const { habit, random } = this.options;
    this.log(`begins: ${habit.name}`);
    await this.#process.transport.listen("0.0.0.0", PORT, (connection) => this.#accept(connection, false));
    const dial = (): void => {
      if (this.#isStopped) return;
      for (const { host, port } of this.options.victims) this.#dial(host, port);
      this.#process.after(RETRY_DELAY_MS + random.below(RETRY_DELAY_MS), dial);
    };
    const act = (): void => {
      if (this.#isStopped) return;
      if (this.ends.length > 0) habit.act(this);
      this.#process.after(habit.everyMs / 2 + random.below(habit.everyMs), act);
    };
    dial();
    act();
  }

  stop(): void {
    this.#isStopped = true;
    for (const end of this.#ends.keys()) end.close();
    this.#process.kill();
  }

  /** Runs a task after a delay, unless the liar has stopped. */
  later(ms: number, task: () => void): void {
    this.#process.after(ms, () => {
      if (!this.#isStopped) task();
    });
  }

  #dial(host: string, port: number): void {
    for (const end of this.#ends.keys()) if (end.host === host) return;
    this.#process.transport.dial(host, port, DIAL_TIMEOUT_MS).then(
      (connection) => this.#accept(connection, true),
      // It is banned, or the address does not answer.
      () => {},
    );
  }

  #accept(connection: Connection, dialled: boolean): void {
    const end = new WireEnd({
      connection,
      clock: this.#process,
      dialled,
      handshake: this.#handshake(),
      connected: (greeted) => this.#ends.set(greeted, true),
      received: (from, message) => this.options.habit.answer?.(this, from, message),
      closed: (gone) => this.#ends.delete(gone),
    });
    this.#ends.set(end, false);
  }

  #handshake(): Handshake {
    const { name, chainId, machine } = this.options;
    return {
      applicationName: `lto${String.fromCharCode(chainId)}`,
      version: { major: 1, minor: 8, patch: 0 },
      nodeName: name,
      nonce: BigInt(this.random.below(2 ** 31)),
      declaredAddress: { host: machine.address, port: PORT },
      time: 0n,
    };
  }
}
