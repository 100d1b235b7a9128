/** Nodes with whole chains, whose messages a test delivers without connections. */

import { ExtensionIntake } from "../../chain/checking/extension-intake.ts";
import type { Metrics } from "../../runtime/metrics.ts";
import { SeededRandom } from "../../testing/seeded-random.ts";
import type { VirtualClock } from "../../testing/virtual-clock.ts";
import { Preverifier } from "../../verification/ahead.ts";
import { inlineVerifier } from "../../verification/testing/inline-verifier.ts";
import { ChainHistory } from "../history/chain-history.ts";
import { HistoryReplier } from "../history/history-replier.ts";
import type { SyncOptions } from "../options.ts";
import { Sync } from "../sync/sync.ts";
import type { Message } from "../wire/messages.ts";
import { type Branch, defaultSyncOptions } from "./branch.ts";
import { ScriptedNetwork, type ScriptedPeer } from "./scripted-network.ts";

/** A node with the chain of a branch, sync and history. */
export class SyncNode {
  readonly network = new ScriptedNetwork();
  readonly sync: Sync;
  /** Number of blocks that were not requested. */
  unclaimed = 0;

  constructor(
    readonly branch: Branch,
    changes: Partial<SyncOptions> = {},
    metrics?: Metrics,
  ) {
    const { network } = this;
    const { chain, clock, log, profile } = branch.node;
    const options = { ...defaultSyncOptions, ...changes };
    const history = new ChainHistory(chain, clock, options);
    new HistoryReplier({ network, history, clock, log });
    const verifier = inlineVerifier(profile);
    const extensions = new ExtensionIntake(chain, verifier, profile, options);
    this.sync = new Sync({
      network,
      chain,
      extensions,
      checks: new Preverifier(verifier, log),
      rules: profile,
      clock,
      random: new SeededRandom(1),
      log,
      blockLog: log,
      blockDelayMs: 1_000 * profile.genesis.averageBlockDelaySeconds,
      options,
      metrics,
    });
    network.on("Block", (peer, message) => {
      if (!this.sync.takeRequestedBlock(peer, message)) this.unclaimed++;
    });
  }
}

/** A connection between two nodes: each sees the other as a peer. */
export class Wire {
  readonly #ends: readonly [WireEnd, WireEnd];
  readonly #cut: (message: Message) => boolean;

  /** @param cut returns true for a message that is lost together with the connection */
  constructor(
    one: SyncNode,
    two: SyncNode,
    cut: (message: Message) => boolean = () => false,
    hosts: readonly [string, string] = ["1.1.1.1", "2.2.2.2"],
  ) {
    this.#cut = cut;
    const a = one.network.connect(hosts[1]);
    const b = two.network.connect(hosts[0]);
    this.#ends = [
      { from: a, to: b },
      { from: b, to: a },
    ];
  }

  get isOpen(): boolean {
    return this.#ends.every(({ from }) => !from.isClosed);
  }

  /** Delivers all sent messages. @returns true if there were any */
  carry(): boolean {
    let hasSent = false;
    for (const { from, to } of this.#ends) {
      for (const message of from.take()) {
        hasSent = true;
        if (this.#cut(message)) this.end();
        if (!to.isClosed) void to.says(message);
      }
    }
    if (!this.isOpen) this.end();
    return hasSent;
  }

  end(): void {
    for (const { from } of this.#ends) from.leaves();
  }
}

interface WireEnd {
  /** The peer to which a node sends. */
  readonly from: ScriptedPeer;
  /** The peer that represents the sender at the other node. */
  readonly to: ScriptedPeer;
}

/** Advances time in small steps while wires deliver messages. */
export async function live(clock: VirtualClock, wires: readonly Wire[], ms: number): Promise<void> {
  const end = clock.monotonic() + ms;
  while (clock.monotonic() < end) {
    for (let i = 0; i < 30; i++) {
      const carried = wires.map((wire) => wire.carry());
      for (let j = 0; j < 30; j++) await Promise.resolve();
      const ran = clock.step(clock.monotonic());
      for (let j = 0; j < 30; j++) await Promise.resolve();
      if (!ran && !carried.includes(true)) break;
    }
    clock.advance(50);
  }
}
