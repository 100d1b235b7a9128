import { basename } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { describeSource } from "../../api/units/source.ts";
import { bytesEqual } from "../../bytes/compare.ts";
import { newestRecord } from "../../chain/reading/unit-records.ts";
import { chainReader } from "../../chain/snapshot.ts";
import type { Settings } from "../../config/settings.ts";
import type { Clock, Log, SourceDescription, UnitSource } from "../../interfaces.ts";
import type { Node } from "../../node.ts";
import type { Metrics } from "../../runtime/metrics.ts";
import { memoryStore } from "../../storage/memory-store.ts";
import type { Store } from "../../storage/store.ts";
import { simulatedEnvironment } from "../../testing/simulated-environment.ts";
import { readerUnitSource } from "../../unit-sources/testing/reader-unit-source.ts";
import { fixedWallet } from "../../wallet/fixed-wallet.ts";
import { type ApiLauncher, apiInfo } from "../api/api.ts";
import { readerContext } from "../composition.ts";
import type { FollowerNode } from "../following/create-follower.ts";
import type { NodePool } from "../following/gateway/node-pool.ts";
import { type FollowerSystem, newStoreDataDir } from "../following/run-follower.ts";
import { readSavedSource } from "../following/saved-source.ts";

export function sourceDescription(node: Node): SourceDescription {
  const { settings, trust, environment } = node;
  const info = apiInfo(settings, { store: environment.store.id, trustRoot: trust.root });
  const description = describeSource(info);
  if (description === undefined) throw new Error("The node is not a source");
  return description;
}

/** Returns the units of a node in this process. */
export function sourceOf(
  node: Node,
  {
    name = "node",
    description = sourceDescription(node),
  }: { name?: string; description?: SourceDescription } = {},
): UnitSource {
  const { settings, trust, environment, chain } = node;
  const reader = chainReader(environment.store, readerContext(settings, chain.rules, trust));
  return readerUnitSource({ name, reader, events: chain, description });
}

/** A machine for followers, whose store outlives them like a disk. */
export class FollowerMachine implements FollowerSystem {
  readonly setting: FollowerSystem["setting"];
  readonly nodes: NodePool | undefined;
  readonly sources: readonly UnitSource[];
  readonly clock: Clock;
  readonly log: Log;
  store: Store | undefined;
  #newStore: Store | undefined;
  /** Number of times that the store was replaced. */
  replaced = 0;
  readonly #rollbackDepth: number | undefined;
  readonly #http: ApiLauncher | undefined;
  readonly #metrics: Metrics | undefined;

  constructor(options: {
    readonly sources: readonly UnitSource[];
    readonly clock: Clock;
    readonly log: Log;
    readonly http?: ApiLauncher | undefined;
    readonly metrics?: Metrics | undefined;
    /** Of the store; by default that of the settings. */
    readonly rollbackDepth?: number | undefined;
    readonly nodes?: NodePool | undefined;
  }) {
    this.nodes = options.nodes;
    this.setting = options.nodes === undefined ? "--follow" : "--from";
    this.sources = options.sources;
    this.clock = options.clock;
    this.log = options.log;
    this.#http = options.http;
    this.#metrics = options.metrics;
    this.#rollbackDepth = options.rollbackDepth;
  }

  readonly savedSource = async (): Promise<SourceDescription | undefined> =>
    this.store && readSavedSource(this.store);

  readonly open = async (settings: Settings) => {
    const rollbackDepth = this.#rollbackDepth ?? settings.chain.rollbackDepth;
    const isNew = basename(settings.dataDir) === basename(newStoreDataDir({ dataDir: "" }));
    if (isNew) this.#newStore ??= memoryStore({ rollbackDepth });
    else this.store ??= memoryStore({ rollbackDepth });
    const store = isNew ? this.#newStore : this.store;
    if (store === undefined) throw new Error("unreachable");
    const { clock, log, sources } = this;
    const nodes = isNew ? undefined : this.nodes;
    // A follower uses none of the parts that need the wallet.
    const wallet = fixedWallet([], settings.profile.chainId);
    return {
      ...simulatedEnvironment({
        ...{ clock, log, store, wallet },
        ...(isNew ? {} : { http: this.#http, metrics: this.#metrics }),
      }),
      sources,
      nodes,
    };
  };

  readonly removeNew = async (): Promise<void> => {
    this.#newStore = undefined;
  };

  readonly replaceByNew = async (): Promise<void> => {
    this.store = this.#newStore;
    this.#newStore = undefined;
    this.replaced++;
  };
}

/** Waits until the follower has the node's newest unit. */
export async function caughtUp(follower: FollowerNode, node: Pick<Node, "chain">): Promise<void> {
  for (let i = 0; i < 10_000; i++) {
    const [a, b] = [follower.chain, node.chain].map((chain) => chain.read(newestRecord));
    if (a.sequence === b.sequence && bytesEqual(a.id, b.id)) return;
    await turn();
  }
  throw new Error(
    `The follower stays at ${follower.chain.tip.height}; the node is at ${node.chain.tip.height}`,
  );
}
