import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../runtime/system.ts";
import { type ConnectOptions, connectPostgres } from "../connection/pg-connection.ts";
import { parsePostgresUrl } from "../connection/postgres-url.ts";
import type { SqlConnection } from "../connection/sql-connection.ts";

const DEBIAN = "/usr/lib/postgresql";
/** Recovery after a kill takes long on a busy machine. */
const START_TIMEOUT_MS = 120_000;

/** Folder of initdb and postgres; undefined if PostgreSQL is not installed. Tests are then reported as skipped. */
export const postgresPrograms: string | undefined = findPrograms();

function findPrograms(): string | undefined {
  const own = process.env.POSTGRES_PROGRAMS;
  if (own !== undefined) return own;
  if (!existsSync(DEBIAN)) return undefined;
  return readdirSync(DEBIAN)
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(DEBIAN, version, "bin"))
    .find((folder) => existsSync(join(folder, "initdb")));
}

/** PostgreSQL refuses to run as root. */
function unprivileged(): { uid: number; gid: number } | Record<string, never> {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

/** Data directories of initdb: to copy one takes a fifth of the processor time of creating it. */
const CACHE = join(import.meta.dirname, "../../../node_modules/.cache/holdfast-postgres");

/** Copies a data directory, for the user that runs the server. */
function copyFolder(from: string, to: string): void {
  execFileSync("cp", ["-r", from, to]);
  const { uid, gid } = unprivileged();
  if (uid !== undefined) execFileSync("chown", ["-R", `${uid}:${gid}`, to]);
  // PostgreSQL refuses a folder that others may read.
  chmodSync(to, 0o700);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no free port");
  return address.port;
}

export interface ServerOptions {
  /** Settings of postgresql.conf. */
  readonly settings?: Readonly<Record<string, string>> | undefined;
  /** Default: false, for speed. A test of power failures needs true. */
  readonly syncs?: boolean | undefined;
}

/** A PostgreSQL server of the test, in a temporary folder. */
export class PostgresServer {
  readonly port: number;
  readonly directory: string;
  readonly #data: string;
  readonly #settings: readonly string[];
  #process: ChildProcess | undefined;

  private constructor(directory: string, port: number, { settings = {}, syncs = false }: ServerOptions) {
    this.directory = directory;
    this.port = port;
    this.#data = join(directory, "data");
    const all: Record<string, string> = {
      listen_addresses: "127.0.0.1",
      unix_socket_directories: directory,
      shared_buffers: "16MB",
      fsync: syncs ? "on" : "off",
      ...settings,
    };
    this.#settings = Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  }

  /** Initialises and starts a server with the superuser `postgres`, who needs no password. */
  static async start(options: ServerOptions = {}): Promise<PostgresServer> {
    const server = await PostgresServer.#create(options);
    await server.#initialise();
    await server.resume();
    return server;
  }

  /** Copies a running primary, and starts a replica of it. @param primaryPort port of the primary or of a proxy */
  static async startReplica(primaryPort: number, options: ServerOptions = {}): Promise<PostgresServer> {
    const server = await PostgresServer.#create(options);
    await server.becomeReplica(primaryPort);
    return server;
  }

  static async #create(options: ServerOptions): Promise<PostgresServer> {
    const folder = mkdtempSync(join(tmpdir(), "holdfast-postgres-"));
    const { uid, gid } = unprivileged();
    if (uid !== undefined) chownSync(folder, uid, gid);
    return new PostgresServer(folder, await freePort(), options);
  }

  /** Copies the cached data directory of initdb. The first call of all creates it. */
  async #initialise(): Promise<void> {
    const version = execFileSync(program("initdb"), ["--version"], { encoding: "utf8" });
    const cached = join(CACHE, version.replace(/\W+/g, "-"));
    if (existsSync(cached)) {
      copyFolder(cached, this.#data);
      return;
    }
    await this.#run("initdb", [
      ...["-D", this.#data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"],
    ]);
    mkdirSync(CACHE, { recursive: true });
    const draft = mkdtempSync(`${cached}-draft-`);
    copyFolder(this.#data, join(draft, "data"));
    try {
      renameSync(join(draft, "data"), cached);
    } catch (error) {
      // Another process was first.
      if (!existsSync(cached)) throw error;
    } finally {
      rmSync(draft, { recursive: true, force: true });
    }
  }

  #run(name: string, args: readonly string[]): Promise<void> {
    const child = spawn(program(name), args, {
      ...unprivileged(),
      stdio: ["ignore", "ignore", "pipe"],
      cwd: this.directory,
    });
    let errors = "";
    child.stderr.on("data", (chunk) => {
      errors += chunk;
    });
    return new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code) => {
        if (code === 0) resolve();
        else reject(new Error(`${name} ended with code ${code}: ${errors}`));
      });
    });
  }

  /** Replaces all data of the stopped server by a copy of a running primary, and starts as a replica of it. */
  async becomeReplica(primaryPort: number): Promise<void> {
    rmSync(this.#data, { recursive: true, force: true });
    await this.#run("pg_basebackup", [
      ...["-D", this.#data, "-h", "127.0.0.1", "-p", String(primaryPort), "-U", "postgres"],
      ...["--write-recovery-conf", "--checkpoint=fast", "--no-sync"],
    ]);
    await this.resume();
  }

  /** Starts the process, also after `kill`, and waits until it accepts connections. */
  async resume(): Promise<void> {
    const log = openSync(join(this.directory, "log"), "a");
    const start = (): ChildProcess =>
      spawn(program("postgres"), ["-D", this.#data, "-p", String(this.port), ...this.#settings], {
        ...unprivileged(),
        stdio: ["ignore", log, log],
        cwd: this.directory,
      });
    const end = Date.now() + START_TIMEOUT_MS;
    try {
      for (this.#process = start(); ; ) {
        try {
          await (await this.connect()).close();
          return;
        } catch (error) {
          if (Date.now() > end) throw error;
          await new Promise((resolve) => setTimeout(resolve, 50));
          // It does not start while children of a killed process still run.
          if (this.#process.exitCode !== null) this.#process = start();
        }
      }
    } finally {
      closeSync(log);
    }
  }

  url(user = "postgres", database = "postgres"): string {
    return `postgres://${user}@127.0.0.1:${this.port}/${database}`;
  }

  connect(user?: string, database?: string, options: Partial<ConnectOptions> = {}): Promise<SqlConnection> {
    return connectPostgres(parsePostgresUrl(this.url(user, database)), {
      clock: systemClock,
      applicationName: "test",
      ...options,
    });
  }

  /** Creates an empty database, or a copy of one that has no connections. */
  async createDatabase(name: string, template = "template1"): Promise<void> {
    const sql = await this.connect(undefined, undefined, { deadlineMs: START_TIMEOUT_MS });
    await sql.query(`create database ${name} template ${template}`);
    await sql.close();
  }

  /** Ends the process. SIGINT: a fast shutdown; SIGKILL: its children end too, without a checkpoint. */
  async kill(signal: "SIGINT" | "SIGKILL" = "SIGINT"): Promise<void> {
    const child = this.#process;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    await ended;
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

function program(name: string): string {
  if (postgresPrograms === undefined)
    throw new Error("PostgreSQL is not installed: see scripts/install-postgres.sh");
  return join(postgresPrograms, name);
}
