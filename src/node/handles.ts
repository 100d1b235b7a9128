/** File handles: how many the process may have, how many the node needs, and how many are left for HTTP connections. */

import { readFileSync } from "node:fs";
import type { Settings } from "../config/settings.ts";
import { BaseError } from "../errors/base-error.ts";
import { MAX_CONNECTIONS } from "../http/connections/connection-limit.ts";
import { DEFAULT_CHECKING_THREADS } from "../runtime/thread-count.ts";

/**
 * Handles of log, store, queue of anchors, wallet, and of the main, HTTP and reading threads; some are for short uses.
 * More of them are open only at the start, while Node.js loads some 120 files at once.
 */
const OWN_HANDLES = 128;
/** Handles of each thread that checks signatures. */
const HANDLES_PER_CHECKER = 8;
/** Peer connections beside the limits: being dialled, or accepted and about to be closed. */
const EXTRA_PEER_CONNECTIONS = 32;
/** A node that can have fewer HTTP connections does not start. */
const MIN_CONNECTIONS = 32;
/** A node that can have fewer HTTP connections warns its operator. */
const WARN_BELOW_CONNECTIONS = 256;

/** The limit of open files of the process is too low. */
export class HandleLimitError extends BaseError {
  constructor(limit: number, needed: number) {
    super(`The process may have ${limit} files and connections open, but the node needs ${needed}`, {
      hint: "raise the limit (`ulimit -n 65536`, or LimitNOFILE=65536 in a systemd unit)",
    });
  }
}

/**
 * Returns how many file handles this process may have: its soft limit, which Node.js has already raised to the hard one.
 * Undefined if the system has no such limit, or does not report it.
 */
export function handleLimit(): number | undefined {
  try {
    return parseLimits(readFileSync("/proc/self/limits", "utf8"));
  } catch {
    // Not only macOS lacks this file: on any error, ask in the other way.
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
  // Otherwise the report looks up host names of all connections.
  Object.assign(report, { excludeNetwork: true });
  const { userLimits } = report.getReport() as { readonly userLimits?: { readonly open_files?: Limits } };
  const soft = userLimits?.open_files?.soft;
  return typeof soft === "number" ? soft : undefined;
}

interface Limits {
  readonly soft?: unknown;
}

/** How the handles of the process are divided. */
export interface HandleBudget {
  /** HTTP connections that may be open at a time. */
  readonly connections: number;
  /** A warning for the operator; undefined: there are enough handles. */
  readonly warning: string | undefined;
}

/**
 * Divides the handles that the process may have: store, log, threads and peers get what they need, HTTP connections get
 * the rest, at most 1,024 (page 06 §2.1).
 * @param limit handles of the process; undefined: no limit
 * @throws HandleLimitError if too few are left for HTTP
 */
export function budgetHandles(
  limit: number | undefined,
  { api, peers }: Pick<Settings, "peers"> & { readonly api: { readonly enabled: boolean } },
): HandleBudget {
  if (limit === undefined) return { connections: MAX_CONNECTIONS, warning: undefined };
  const own = OWN_HANDLES + HANDLES_PER_CHECKER * DEFAULT_CHECKING_THREADS;
  const { maxInbound, maxOutbound } = peers?.connections ?? { maxInbound: 0, maxOutbound: 0 };
  const forPeers = peers === undefined ? 0 : maxInbound + maxOutbound + EXTRA_PEER_CONNECTIONS;
  const left = limit - own - forPeers;
  const least = api.enabled ? MIN_CONNECTIONS : 0;
  if (left < least) throw new HandleLimitError(limit, own + forPeers + least);
  const connections = Math.min(left, MAX_CONNECTIONS);
  const isLow = api.enabled && connections < WARN_BELOW_CONNECTIONS;
  return {
    connections,
    warning: isLow
      ? `The process may have only ${limit} files and connections open: that leaves ${connections} for HTTP. ` +
        "Raise the limit (`ulimit -n 65536`, or LimitNOFILE=65536 in a systemd unit)"
      : undefined,
  };
}
