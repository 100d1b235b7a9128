/** A simulated computer: an address, an inaccurate clock, a processor with limited speed, and a disk. */
import type { Cancel, Clock, Transport } from "../../src/interfaces.ts";
import type { Store } from "../../src/storage/store.ts";
import { ForgetfulDisk } from "../../src/storage/testing/forgetful-disk.ts";
import type { Host, SimulatedNetwork } from "../../src/testing/simulated-network.ts";
import type { VirtualClock } from "../../src/testing/virtual-clock.ts";

export interface MachineTraits {
  /** IP address. */
  readonly address: string;
  /** Time to write a block or micro block, ms. A slow machine splits work into slices and delays its peers. */
  readonly unitMs: number;
  /** Number of blocks that its disk can undo. */
  readonly rollbackDepth: number;
}

export class Machine {
  readonly disk: ForgetfulDisk;
  /** Clock error, ms. */
  skewMs = 0;

  constructor(
    readonly traits: MachineTraits,
    private readonly time: VirtualClock,
    private readonly network: SimulatedNetwork,
  ) {
    this.disk = new ForgetfulDisk({ rollbackDepth: traits.rollbackDepth });
  }

  get address(): string {
    return this.traits.address;
  }

  /** Starts a process on the current disk. */
  start(): MachineProcess {
    return new MachineProcess(this, this.time, this.network);
  }
}

/** A process on a machine. All its timers and connections end with it. */
export class MachineProcess implements Host, Clock {
  readonly store: Store;
  readonly transport: Transport;
  /** Called when an interrupted commit had already undone key blocks, with their number. */
  undoneInVain: (blocks: number) => void = () => {};
  #isAlive = true;
  /** Time at which the processor is idle again. */
  #busyUntil = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(
    private readonly machine: Machine,
    private readonly time: VirtualClock,
    private readonly network: SimulatedNetwork,
  ) {
    this.store = machine.disk.open(
      () => this.#work(machine.traits.unitMs),
      (blocks) => this.undoneInVain(blocks),
    );
    this.transport = network.transportOf(this);
  }

  get address(): string {
    return this.machine.address;
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** True while the process is frozen or works. */
  get isBusy(): boolean {
    return this.#busyUntil > this.time.monotonic();
  }

  /** Kills the process: none of its code runs any more, and it gets no notice. */
  kill(): void {
    this.#isAlive = false;
    this.#waiting.length = 0;
    this.network.switchOff(this);
  }

  now(): number {
    return Math.floor(this.monotonic()) + this.machine.skewMs;
  }

  system(): number {
    return this.now();
  }

  monotonic(): number {
    return Math.max(this.#busyUntil, this.time.monotonic());
  }

  after(delayMs: number, task: () => void): Cancel {
    let isCancelled = false;
    const lag = Math.max(0, this.#busyUntil - this.time.monotonic());
    const cancel = this.time.after(Math.max(0, delayMs) + lag, () =>
      this.#enter(() => {
        if (!isCancelled) task();
      }),
    );
    return () => {
      isCancelled = true;
      cancel();
    };
  }

  run(task: () => void): void {
    this.time.after(0, () => this.#enter(task));
  }

  /** Suspends the process for a while. The operating system still accepts connections and bytes. */
  freeze(ms: number): void {
    this.#work(ms);
  }

  #work(ms: number): void {
    this.#busyUntil = this.monotonic() + ms;
  }

  /** Runs tasks one after another, each when the processor is free. */
  #enter(task: () => void): void {
    if (!this.#isAlive) return;
    if (this.#waiting.length === 0 && this.#busyUntil <= this.time.monotonic()) {
      task();
      return;
    }
    this.#waiting.push(task);
    if (this.#waiting.length === 1) this.#wait();
  }

  #wait(): void {
    this.time.after(Math.max(0, this.#busyUntil - this.time.monotonic()), () => {
      const task = this.#waiting.shift();
      task?.();
      if (this.#waiting.length > 0) this.#wait();
    });
  }
}
