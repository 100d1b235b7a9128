/** Distinguishes machine faults (disk, network, memory) from bugs of the node. */
import { getSystemErrorName } from "node:util";

const MAX_CAUSES = 8;

const MACHINE_CODES: ReadonlySet<string> = new Set([
  // File handles, memory, threads.
  ...["EMFILE", "ENFILE", "ENOMEM", "ENOBUFS", "EAGAIN", "EINTR", "EBUSY"],
  ...["ERR_MEMORY_ALLOCATION_FAILED", "ERR_WORKER_INIT_FAILED", "ERR_WORKER_OUT_OF_MEMORY"],
  // Disk.
  ...["ENOSPC", "EDQUOT", "EFBIG", "EIO", "EROFS", "EACCES", "EPERM", "ENOENT", "ENXIO", "ENODEV"],
  // Network.
  ...["EADDRINUSE", "EADDRNOTAVAIL", "EAFNOSUPPORT", "ECONNABORTED", "ECONNREFUSED", "ECONNRESET"],
  ...["EINVAL", "ENONET", "ENOPROTOOPT", "ENOTSUP", "EOPNOTSUPP", "EHOSTDOWN", "EHOSTUNREACH"],
  ...["ENETDOWN", "ENETRESET", "ENETUNREACH", "ENOTCONN", "EPIPE", "EPROTO"],
  ...["ETIMEDOUT", "ENOTFOUND", "EAI_AGAIN", "EAI_FAIL", "EAI_MEMORY", "EAI_NODATA", "EAI_SYSTEM"],
  ...["ERR_SOCKET_CLOSED", "ERR_STREAM_DESTROYED", "ERR_STREAM_PREMATURE_CLOSE"],
]);

/** LMDB's error codes; ignored outside of a `DiskError` and its causes. */
const DATABASE_CODES: Readonly<Record<number, string>> = {
  [-30_792]: "MDB_MAP_FULL",
  [-30_793]: "MDB_INVALID",
  [-30_794]: "MDB_VERSION_MISMATCH",
  [-30_795]: "MDB_PANIC",
  [-30_796]: "MDB_CORRUPTED",
};

interface ErrorMembers {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly info?: { readonly code?: unknown };
  readonly cause?: unknown;
  readonly message?: unknown;
}

function codeOf({ code, info, message }: ErrorMembers): string | undefined {
  // `os.networkInterfaces` and similar calls put the system's error code into `info`.
  if (code === "ERR_SYSTEM_ERROR") return typeof info?.code === "string" ? info.code : undefined;
  if (typeof code === "number" && code > 0 && code < 4_096) return getSystemErrorName(-code);
  if (typeof code === "string") return code;
  return message === "Array buffer allocation failed" ? "ENOMEM" : undefined;
}

/**
 * Returns the code of the machine fault that an error or one of its causes reports; `DISK` for a `DiskError` without a
 * known code.
 * @returns undefined for bugs of the node
 */
export function machineFaultOf(error: unknown): string | undefined {
  let current = error;
  let isDiskError = false;
  for (let depth = 0; depth < MAX_CAUSES && typeof current === "object" && current !== null; depth++) {
    // Safe cast: all members are unknown.
    const members = current as ErrorMembers;
    isDiskError ||= members.name === "DiskError";
    if (isDiskError && typeof members.code === "number" && members.code in DATABASE_CODES)
      return DATABASE_CODES[members.code];
    const code = codeOf(members);
    if (code !== undefined && MACHINE_CODES.has(code)) return code;
    current = members.cause;
  }
  return isDiskError ? "DISK" : undefined;
}
