/** File handles: how many the process may have, what the node needs of them, and what is left for HTTP connections. */
import { readFileSync } from "node:fs";
import { MAX_CONNECTIONS } from "../api/http/connection-limit.ts";
import type { Settings } from "../config/settings.ts";
import { CHECKING_THREADS } from "../verification/thread-count.ts";

/** Log, store, queue of anchors, wallet, main, HTTP and reading threads; with room for files that are open for a moment. */
const OWN_HANDLES = 88;
/** What a thread that checks signatures takes of it. */
const HANDLES_OF_A_CHECKER = 8;
/** Peers that are being dialled, or have connected and will be turned away. */
const PEERS_UNDER_WAY = 32;
/** With fewer HTTP connections a node is of no use. */
const MIN_CONNECTIONS = 32;
/** With fewer an operator should know. */
const FEW_CONNECTIONS = 256;

/** The process may open too few files. */
export class HandleLimitError extends Error {
  override readonly name = "HandleLimitError";

  constructor(limit: number, needed: number) {
    super(
      `The process may have ${limit} files and connections open, the node needs ${needed}: ` +
        "raise the limit (`ulimit -n 65536`, or LimitNOFILE=65536 in a systemd unit)",
    );
  }
}

/**
 * Returns how many file handles this process may have, which Node.js has raised as far as it may; undefined where the
 * system has no such limit, or does not say.
 */
export function handleLimit(): number | undefined {
  try {
    return parseLimits(readFileSync("/proc/self/limits", "utf8"));
  } catch {
    // Whatever the reason, there is another way to ask: macOS has no such file.
    return reportedLimit();
  }
}

/** Reads the soft limit of `/proc/self/limits`. */
export function parseLimits(text: string): number | undefined {
  const soft = /^Max open files\s+(\d+)/m.exec(text)?.[1];
  return soft === undefined ? undefined : Number(soft);
}

function reportedLimit(): number | undefined {
  const { report } = process;
  // Otherwise it looks up names of all connections.
  Object.assign(report, { excludeNetwork: true });
  const { userLimits } = report.getReport() as { readonly userLimits?: { readonly open_files?: Limits } };
  const soft = userLimits?.open_files?.soft;
  return typeof soft === "number" ? soft : undefined;
}

interface Limits {
  readonly soft?: unknown;
}

/** How the handles of a process are shared out. */
export interface HandleShares {
  /** HTTP connections that may be open at a time. */
  readonly connections: number;
  /** What an operator should know about it. */
  readonly warning: string | undefined;
}

/**
 * Shares out the handles that a process may have: first what store, log and threads need and what peers may take, the
 * rest for HTTP connections, 1,024 at most (page 06 §2.1).
 * @param limit undefined: there is none
 * @throws HandleLimitError when too few are left
 */
export function shareHandles(
  limit: number | undefined,
  { api, peers }: Pick<Settings, "api" | "peers">,
): HandleShares {
  if (limit === undefined) return { connections: MAX_CONNECTIONS, warning: undefined };
  const own = OWN_HANDLES + HANDLES_OF_A_CHECKER * CHECKING_THREADS;
  const { maxInbound, maxOutbound } = peers?.connections ?? { maxInbound: 0, maxOutbound: 0 };
  const forPeers = peers === undefined ? 0 : maxInbound + maxOutbound + PEERS_UNDER_WAY;
  const left = limit - own - forPeers;
  const least = api ? MIN_CONNECTIONS : 0;
  if (left < least) throw new HandleLimitError(limit, own + forPeers + least);
  const connections = Math.min(left, MAX_CONNECTIONS);
  const isLow = api && connections < FEW_CONNECTIONS;
  return {
    connections,
    warning: isLow
      ? `The process may have only ${limit} files and connections open: that leaves ${connections} for HTTP`
      : undefined,
  };
}
