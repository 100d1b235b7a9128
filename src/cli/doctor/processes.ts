import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** TCP state "listen" in /proc/net/tcp. */
const LISTEN = "0A";
/** Flag of a listening socket in /proc/net/unix; accepted connections have the same path. */
const UNIX_LISTEN = "00010000";

/** A process that this user may inspect. */
export interface NodeProcess {
  readonly pid: number;
  /** Inode numbers. */
  readonly sockets: ReadonlySet<string>;
}

/** Returns the fallback if the process has ended or is another user's, or the system is not Linux. */
function readOr<T>(read: () => T, fallback: T): T {
  try {
    return read();
  } catch {
    return fallback;
  }
}

const rowsOf = (path: string): string[][] =>
  readOr(() => readFileSync(path, "utf8"), "")
    .split("\n")
    .map((line) => line.trim().split(/\s+/));

export function processOfSocket(path: string): NodeProcess | undefined {
  const inode = rowsOf("/proc/net/unix").find((row) => row[7] === path && row[3] === UNIX_LISTEN)?.[6];
  if (inode === undefined) return undefined;
  for (const name of readOr(() => readdirSync("/proc"), [])) {
    if (!/^\d+$/.test(name)) continue;
    const sockets = socketsOf(name);
    if (sockets.has(inode)) return { pid: Number(name), sockets };
  }
  return undefined;
}

function socketsOf(pid: string): ReadonlySet<string> {
  const folder = `/proc/${pid}/fd`;
  const targets = readOr(() => readdirSync(folder), []).map((fd) =>
    readOr(() => readlinkSync(`${folder}/${fd}`), ""),
  );
  return new Set(targets.flatMap((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? []));
}

export function listensOn({ sockets }: NodeProcess, port: number): boolean {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  return ["/proc/net/tcp", "/proc/net/tcp6"]
    .flatMap(rowsOf)
    .some((row) => row[3] === LISTEN && row[1].endsWith(suffix) && sockets.has(row[9]));
}
