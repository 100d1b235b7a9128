import { readFileSync } from "node:fs";
import type { Settings } from "../config/settings.ts";
import { BaseError } from "../errors/base-error.ts";
import { MAX_CONNECTIONS } from "../http/connections/connection-limit.ts";
import { DEFAULT_CHECKER_THREADS } from "../runtime/threads/thread-count.ts";

/** Open files for log, stores, wallet and threads. */
const NODE_HANDLES = 128;
const HANDLES_PER_CHECKER = 8;
const HANDLES_PER_HTTP_THREAD = 32;
/** Peer connections above the configured limits. */
const EXTRA_PEER_CONNECTIONS = 32;
const MIN_CONNECTIONS = 32;
const WARN_BELOW_CONNECTIONS = 256;

export class HandleLimitError extends BaseError {
  constructor(limit: number, needed: number) {
    super(`The process may open only ${limit} files and connections, but the node needs ${needed}`, {
      hint: "raise the limit (`ulimit -n 65536`, or LimitNOFILE=65536 in a systemd unit)",
    });
  }
}

/** Returns the soft limit of open files, which Node.js raised to the hard limit; undefined if unlimited or unknown. */
export function handleLimit(): number | undefined {
  try {
    return parseOpenFileLimit(readFileSync("/proc/self/limits", "utf8"));
  } catch {
    return reportedLimit();
  }
}

/** Returns the soft limit in a `/proc/<pid>/limits` text; undefined if open files are unlimited. */
export function parseOpenFileLimit(text: string): number | undefined {
  const soft = /^Max open files\s+(\d+)/m.exec(text)?.[1];
  return soft === undefined ? undefined : Number(soft);
}

function reportedLimit(): number | undefined {
  const { report } = process;
  // By default, the report resolves the host names of all connections.
  Object.assign(report, { excludeNetwork: true });
  const { userLimits } = report.getReport() as {
    readonly userLimits?: { readonly open_files?: ReportedLimit };
  };
  const soft = userLimits?.open_files?.soft;
  return typeof soft === "number" ? soft : undefined;
}

interface ReportedLimit {
  readonly soft?: unknown;
}

export interface HandleBudget {
  /** Maximum HTTP connections. */
  readonly connections: number;
  readonly warning: string | undefined;
}

/**
 * Gives HTTP connections the handles that node and peers do not need, at most 1,024 (page 06 §2.1).
 * @param limit maximum open files; undefined: unlimited
 * @throws HandleLimitError if too few remain for HTTP
 */
export function budgetHandles(
  limit: number | undefined,
  { api, peers }: Pick<Settings, "peers"> & { readonly api: Pick<Settings["api"], "enabled" | "threads"> },
): HandleBudget {
  if (limit === undefined) return { connections: MAX_CONNECTIONS, warning: undefined };
  const forNode =
    NODE_HANDLES +
    HANDLES_PER_CHECKER * DEFAULT_CHECKER_THREADS +
    HANDLES_PER_HTTP_THREAD * (api.threads - 1);
  const { maxInbound, maxOutbound } = peers?.connections ?? { maxInbound: 0, maxOutbound: 0 };
  const forPeers = peers === undefined ? 0 : maxInbound + maxOutbound + EXTRA_PEER_CONNECTIONS;
  const remaining = limit - forNode - forPeers;
  const minimum = api.enabled ? MIN_CONNECTIONS : 0;
  if (remaining < minimum) throw new HandleLimitError(limit, forNode + forPeers + minimum);
  const connections = Math.min(remaining, MAX_CONNECTIONS);
  const isLow = api.enabled && connections < WARN_BELOW_CONNECTIONS;
  return {
    connections,
    warning: isLow
      ? `The process may open only ${limit} files and connections: that leaves ${connections} for HTTP. ` +
        "Raise the limit (`ulimit -n 65536`, or LimitNOFILE=65536 in a systemd unit)"
      : undefined,
  };
}
