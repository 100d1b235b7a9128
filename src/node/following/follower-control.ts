import type { ControlHandlersOf, ControlTopic } from "../../control/define.ts";
import {
  type ChainProgress,
  controlTopics,
  type NodeControlHandlers,
  type NodeHealth,
} from "../../control/index.ts";
import type { Log } from "../../interfaces.ts";
import type { LogLevels } from "../../runtime/logging/log-levels.ts";
import type { FollowInfo } from "./follow-loop.ts";
import { remoteHandlers } from "./gateway/gateway-control.ts";
import type { NodePool } from "./gateway/node-pool.ts";

interface FollowerControlDependencies {
  readonly startedAt: number;
  readonly progress: () => ChainProgress;
  readonly info: () => FollowInfo;
  readonly maxLagMs: number;
  readonly hasDiskFault: () => boolean;
  readonly diskSpace: () => NodeHealth["diskSpace"];
  readonly clockErrorMs: () => number | undefined;
  readonly resources: NodeControlHandlers["node"]["resources"];
  readonly logLevels: LogLevels;
  readonly nodes: NodePool | undefined;
  readonly log: Log;
  readonly isStopping: () => boolean;
  readonly stop: () => void;
}

/** Rejects calls that the HTTP server should have forwarded or refused. */
function rejectCall(): Promise<never> {
  return Promise.reject(new Error("A node that follows another one has no pool, peers, wallet or forging"));
}

/** Returns handlers of a topic: `own`, and handlers that reject for the other methods. */
function completeHandlers<Topic extends ControlTopic>(
  topic: Topic,
  own: Partial<ControlHandlersOf<Topic>> = {},
): ControlHandlersOf<Topic> {
  const others = Object.fromEntries(Object.keys(topic).map((name) => [name, rejectCall]));
  // Safe cast: `others` has a handler for each method.
  return { ...others, ...own } as ControlHandlersOf<Topic>;
}

/** Implements `control/` for a follower. */
export function followerControl(dependencies: FollowerControlDependencies): NodeControlHandlers {
  const { info, progress, log, logLevels, maxLagMs, nodes } = dependencies;
  const remote = nodes && remoteHandlers(nodes);
  return {
    pool: completeHandlers(
      controlTopics.pool,
      // Streams may ask for pool events; this node has none.
      remote?.pool ?? { news: () => new Promise(() => {}) },
    ),
    wallet: completeHandlers(controlTopics.wallet),
    forging: completeHandlers(controlTopics.forging, remote?.forging),
    chain: completeHandlers(controlTopics.chain, { ...remote?.chain, progress: async () => progress() }),
    peers: completeHandlers(controlTopics.peers, {
      ...remote?.peers,
      async sync() {
        const { sourceHeight = 0, source } = info();
        return {
          peers: source === undefined ? 0 : 1,
          targetHeight: sourceHeight > progress().cursor.height ? sourceHeight : undefined,
          claimedHeight: undefined,
          blocksPerSecond: 0,
          transactionsPerSecond: 0,
          secondsLeft: undefined,
          deepBranch: undefined,
        };
      },
    }),
    anchoring: completeHandlers(
      controlTopics.anchoring,
      // Only the source has Merkle trees.
      remote?.anchoring ?? { leafProof: async () => undefined, leafRoots: async () => undefined },
    ),
    node: {
      async health() {
        return {
          startedAt: dependencies.startedAt,
          forging: "off",
          hasDiskFault: dependencies.hasDiskFault(),
          diskSpace: dependencies.diskSpace(),
          knowsPeers: false,
          sync: undefined,
          anchors: undefined,
          following: { ...info(), maxLagMs, nodes: nodes?.nodes },
          clockErrorMs: dependencies.clockErrorMs(),
          isStopping: dependencies.isStopping(),
        };
      },
      resources: dependencies.resources,
      logLevels: async () => logLevels.plan,
      async setLogLevel(level, area) {
        logLevels.set(level, area);
        log.info(`Log level changed to ${level} for ${area ?? "all areas"}`);
        return logLevels.plan;
      },
      stop: async () => dependencies.stop(),
    },
  };
}
