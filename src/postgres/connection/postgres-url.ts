import { readFileSync } from "node:fs";
import { isIPv4 } from "node:net";
import { reasonOf } from "../../bytes/errors.ts";
import { BaseError } from "../../errors/base-error.ts";

/** An invalid URL or password file. */
export class PostgresUrlError extends BaseError {}

export interface PostgresHost {
  /** Name, address, or path of a folder with a socket. */
  readonly host: string;
  readonly port: number;
}

/** Contains no password. */
export interface PostgresTarget {
  /** Tried in this order. */
  readonly hosts: readonly PostgresHost[];
  readonly user: string;
  readonly database: string;
  /** True if connections use TLS and check certificate and host name. */
  readonly isVerified: boolean;
  /** Paths of PEM files. */
  readonly rootCertificate: string | undefined;
  readonly certificate: string | undefined;
  readonly key: string | undefined;
}

const DEFAULT_PORT = 5432;
const MAX_URL_LENGTH = 2_000;
const MAX_HOSTS = 16;
const MAX_PASSWORD_BYTES = 4_096;
const URL_FORM = /^postgres(?:ql)?:\/\/(?:([^@/?#]*)@)?([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/;
/** Also matches passwords with characters that should be encoded. */
const PASSWORD = /^[^:]*:\/\/[^:@]*:[^@]*@/;
const EXAMPLE = "use postgres://USER@HOST:PORT/DATABASE";

const isLoopback = (host: string): boolean =>
  host.startsWith("/") || host === "localhost" || host === "::1" || (isIPv4(host) && host.startsWith("127."));

function decoded(text: string, what: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new PostgresUrlError(`Invalid ${what} in the PostgreSQL URL`, {
      hint: "encode special characters as %XX",
    });
  }
}

function parseHost(text: string): PostgresHost {
  const found = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]*))(?::(\d{1,5}))?$/.exec(text);
  const host = decoded(found?.[1] ?? found?.[2] ?? "", "host") || "localhost";
  const port = Number(found?.[3] ?? DEFAULT_PORT);
  if (found === null || port < 1 || port > 65_535)
    throw new PostgresUrlError("Invalid host or port in the PostgreSQL URL", { hint: EXAMPLE });
  return { host, port };
}

const TLS_MODES: readonly (string | undefined)[] = ["disable", "verify-full"];
const PARAMETERS: readonly string[] = ["sslmode", "sslrootcert", "sslcert", "sslkey", "host"];

/** @throws PostgresUrlError */
function parseParameters(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (!PARAMETERS.includes(name))
      throw new PostgresUrlError(`Unknown parameter '${name.slice(0, 50)}' in the PostgreSQL URL`, {
        hint: `known parameters: ${PARAMETERS.join(", ")}`,
      });
    found.set(name, value);
  }
  const mode = found.get("sslmode");
  if (mode !== undefined && !TLS_MODES.includes(mode))
    throw new PostgresUrlError(`Invalid sslmode '${mode.slice(0, 50)}' in the PostgreSQL URL`, {
      hint: "use verify-full, or disable in a network that you trust",
    });
  return found;
}

/**
 * Parses `postgres://USER@HOST:PORT,HOST:PORT/DATABASE?sslmode=…`. By default, connections to other
 * machines use TLS with all checks. The URL must not contain a password, because other users of the machine see the arguments of processes.
 * @throws PostgresUrlError: its message contains no part of a password
 */
export function parsePostgresUrl(text: string): PostgresTarget {
  if (PASSWORD.test(text))
    throw new PostgresUrlError("The PostgreSQL URL contains a password", {
      hint: "remove it from the URL, and give it in PGPASSWORD or a password file",
    });
  const found = text.length > MAX_URL_LENGTH ? null : URL_FORM.exec(text);
  if (found === null) throw new PostgresUrlError("Invalid PostgreSQL URL", { hint: EXAMPLE });
  const [, login = "", hostList, path = "", query = ""] = found;
  const parameters = parseParameters(query);
  const socket = parameters.get("host");
  const hosts = (socket === undefined ? hostList : encodeURIComponent(socket)).split(",").map(parseHost);
  if (hosts.length > MAX_HOSTS)
    throw new PostgresUrlError(`The PostgreSQL URL names ${hosts.length} hosts`, {
      hint: `at most ${MAX_HOSTS} are allowed`,
    });
  const user = decoded(login, "user");
  const database = decoded(path, "database") || user;
  if (user === "") throw new PostgresUrlError("The PostgreSQL URL names no user", { hint: EXAMPLE });
  const mode = parameters.get("sslmode");
  return {
    hosts,
    user,
    database,
    isVerified: mode === undefined ? !hosts.every(({ host }) => isLoopback(host)) : mode === "verify-full",
    rootCertificate: parameters.get("sslrootcert"),
    certificate: parameters.get("sslcert"),
    key: parameters.get("sslkey"),
  };
}

/** Returns the address of a host for messages. */
export function hostText({ host, port }: PostgresHost): string {
  return host.startsWith("/") ? host : `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/**
 * Returns the password from a file, or from PGPASSWORD; undefined if there is none.
 * @throws PostgresUrlError if the file cannot be read, is empty, or exceeds 4,096 bytes
 */
export function readPassword(
  file: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (file === undefined) return environment.PGPASSWORD || undefined;
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw new PostgresUrlError(`Cannot read the password file ${file}: ${reasonOf(error)}`);
  }
  const password = bytes.length > MAX_PASSWORD_BYTES ? "" : bytes.toString("utf8").replace(/\r?\n$/, "");
  if (password === "")
    throw new PostgresUrlError(`The password file ${file} is empty or exceeds ${MAX_PASSWORD_BYTES} bytes`);
  return password;
}
