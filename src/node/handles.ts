/** File handles: the process limit, the node's needs, and the rest for HTTP connections. */

import { readFileSync } from "node:fs";
import type { Settings } from "../config/settings.ts";
import { BaseError } from "../errors/base-error.ts";
import { MAX_CONNECTIONS } from "../http/connections/connection-limit.ts";
import { DEFAULT_CHECKING_THREADS } from "../runtime/thread-count.ts";

/**
 * For log, store, anchor queue, wallet, and the main, HTTP and reading threads, with a reserve. At startup Node.js opens
 * more: it loads some 120 files at once.
 */
const OWN_HANDLES = 128;
const HANDLES_PER_CHECKER = 8;
/** Peer connections beyond the limits: being dialled, or accepted and about to be closed. */
const EXTRA_PEER_CONNECTIONS = 32;
/** Minimum HTTP connections to start. */
const MIN_CONNECTIONS = 32;
const WARN_BELOW_CONNECTIONS = 256;

export class HandleLimitError extends BaseError {
  constructor(limit: number, needed: number) {
    super(`The process may open only ${limit} files and connections, but the node needs ${needed}`, {
      hint: "raise the limit (`ulimit -n 65536`, or LimitNOFILE=65536 in a systemd unit)",
    });
  }
}

/** Returns the soft limit, which Node.js has raised to the hard limit; undefined if unlimited or not reported. */
export function handleLimit(): number | undefined {
  try {
    return parseLimits(readFileSync("/proc/self/limits", "utf8"));
  } catch {
    // macOS and others lack this file.
    return reportedLimit();
  }
}

export function parseLimits(text: string): number | undefined {
  const soft = /^Max open files\s+(\d+)/m.exec(text)?.[1];
  return soft === undefined ? undefined : Number(soft);
}

function reportedLimit(): number | undefined {
  const { report } = process;
  // Otherwise the report resolves the host names of all connections.
  Object.assign(report, { excludeNetwork: true });
  const { userLimits } = report.getReport() as { readonly userLimits?: { readonly open_files?: Limits } };
  const soft = userLimits?.open_files?.soft;
  return typeof soft === "number" ? soft : undefined;
}

interface Limits {
  readonly soft?: unknown;
}

export interface HandleBudget {
  readonly connections: number;
  /** Undefined if there are enough handles. */
  readonly warning: string | undefined;
}

/**
 * Reserves handles for store, log, threads and peers; HTTP connections get the rest, at most 1,024 (page 06 §2.1).
 * @param limit undefined: unlimited
 * @throws HandleLimitError if too few remain for HTTP
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
  const minimum = api.enabled ? MIN_CONNECTIONS : 0;
  if (left < minimum) throw new HandleLimitError(limit, own + forPeers + minimum);
  const connections = Math.min(left, MAX_CONNECTIONS);
  const isLow = api.enabled && connections < WARN_BELOW_CONNECTIONS;
  return {
    connections,
    warning: isLow
      ? `The process may open only ${limit} files and connections: that leaves ${connections} for HTTP. ` +
        "Raise the limit (`ulimit -n 65536`, or LimitNOFILE=65536 in a systemd unit)"
      : undefined,
  };
}
