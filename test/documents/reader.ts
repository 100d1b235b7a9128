/**
 * A reader who types a document's commands, in a separate clone and home folder. The node uses a free port in place of
 * the documents' 6869. A newly started node replaces the previous one.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "../support/free-port.ts";
import { cleanEnvironment, cliPath, removeFolder, temporaryFolder } from "../support/node-process.ts";
import type { Command, FileStep } from "./markdown.ts";
import { type Bindings, matchOutput, withBindings } from "./output.ts";

const project = join(import.meta.dirname, "../..");
const DOCUMENTED = "127.0.0.1:6869";

/** A node that keeps running while the reader types in a second terminal. */
const STARTS =
  /^(?:[A-Z_]+=\S+ )*(?:npm start|npm run holdfast -- start|holdfast start)\b(?!.*(?:--help|\|))/;
/** Read-only commands, which may be repeated until a block has arrived. */
const ASKS = /^(?:curl|holdfast verify-anchor)\b(?!.*(?: -d| -X| --data|-N\b|[;>]|&&))/s;
const ANSWER_SECONDS = 120;
/** Maximum time between two tries of a command. */
const MAX_PAUSE_MS = 800;

export class Reader {
  private bindings: Bindings = new Map();
  private node: { child: ChildProcess; ended: Promise<void> } | undefined;
  private readonly env: NodeJS.ProcessEnv;

  private constructor(
    private readonly home: string,
    private readonly port: number,
  ) {
    this.env = {
      ...cleanEnvironment(),
      HOME: home,
      PATH: `${join(home, ".bin")}:${process.env.PATH}`,
      // npm's user settings on this machine, and newer versions of npm, do not matter to the documents.
      npm_config_update_notifier: "false",
    };
  }

  /** A home folder with a clone, the reader's current folder. */
  static async at(name: string): Promise<Reader> {
    const home = temporaryFolder(`documents-${name}`);
    mkdirSync(join(home, ".bin"));
    writeFileSync(join(home, ".bin/holdfast"), `#!/bin/sh\nexec "${process.execPath}" "${cliPath}" "$@"\n`, {
      mode: 0o755,
    });
    // Hide the progress of transfers.
    writeFileSync(join(home, ".curlrc"), "no-progress-meter\n");
    const clone = join(home, "holdfast");
    mkdirSync(clone);
    for (const entry of readdirSync(project))
      if (!entry.startsWith(".")) symlinkSync(join(project, entry), join(clone, entry));
    writeFileSync(join(home, ".state"), `cd "${clone}"\n`);
    return new Reader(home, await freePort());
  }

  write({ name, text }: FileStep): void {
    const path = join(this.home, "holdfast", name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, this.typed(text));
  }

  /** Returns undefined if the output matches the document's; otherwise both. */
  async run(command: Command, seconds = ANSWER_SECONDS): Promise<string | undefined> {
    if (STARTS.test(command.text)) return this.start(command);
    const end = Date.now() + seconds * 1000;
    // Each try starts processes: wait longer after each, so that tries do not take the time of the node.
    for (let pause = 50; ; pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
      const { output, code } = await this.shell(this.typed(command.text));
      if (this.fits(command, output, code)) return undefined;
      if (!ASKS.test(command.text) || Date.now() > end) return this.failure(command, output, code);
      await delay(pause);
    }
  }

  async leave(): Promise<void> {
    await this.stop();
    removeFolder(this.home);
  }

  private fits(command: Command, output: string, code: number | null): boolean {
    // A block without output only requires success.
    if (command.output === undefined) return code === 0;
    const bound = matchOutput(command.output, output, this.bindings);
    if (bound !== undefined) this.bindings = bound;
    return bound !== undefined;
  }

  private failure({ line, text, output: shown }: Command, output: string, code: number | null): string {
    return `line ${line}: ${text}\n--- the document shows\n${shown ?? "(success)"}\n--- what came (code ${code})\n${output}`;
  }

  /** The reader's input, with this node's port and the values of earlier answers. */
  private typed(text: string): string {
    return withBindings(text, this.bindings)
      .replaceAll(DOCUMENTED, `127.0.0.1:${this.port}`)
      .replaceAll("localhost:6869", `localhost:${this.port}`);
  }

  /** The output, with the documents' port in place of the real one. */
  private shown(output: string): string {
    return output
      .replaceAll("\r\n", "\n")
      .replaceAll(`127.0.0.1:${this.port}`, DOCUMENTED)
      .replaceAll(this.home, "~");
  }

  private spawn(script: string, env: NodeJS.ProcessEnv = {}): ChildProcess {
    const whole = `. "${join(this.home, ".state")}"\n${script}`;
    return spawn("bash", ["-c", whole], {
      detached: true,
      env: { ...this.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  /** Runs a command in the folder and with the variables that the previous commands left. */
  private async shell(typed: string): Promise<{ output: string; code: number | null }> {
    const state = join(this.home, ".state");
    const child = this.spawn(
      `exec 2>&1\nset -a\n${typed}\ncode=$?\n{ export -p; printf 'cd %q\\n' "$PWD"; } > "${state}"\nexit $code`,
    );
    let output = "";
    child.stdout?.on("data", (chunk) => {
      output += chunk;
    });
    const timer = setTimeout(() => this.signal(child, "SIGKILL"), ANSWER_SECONDS * 1000);
    const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
    clearTimeout(timer);
    return { output: this.shown(output), code };
  }

  /** Presses Ctrl-C in the first terminal, then starts the new node. */
  private async start(command: Command): Promise<string | undefined> {
    await this.stop();
    const child = this.spawn(`exec 2>&1\n${this.typed(command.text)}`, {
      HOLDFAST_API_PORT: String(this.port),
      HOLDFAST_NTP_SERVER: "off",
      HOLDFAST_LOG_FORMAT: "text",
    });
    const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
    this.node = { child, ended };
    let output = "";
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(this.failure(command, output, null)), ANSWER_SECONDS * 1000);
      child.stdout?.on("data", (chunk) => {
        output += this.shown(String(chunk));
        const whole = output.slice(0, output.lastIndexOf("\n") + 1);
        if (!whole.includes("HTTP interface at")) return;
        const bound = matchOutput(command.output ?? "…", whole, this.bindings, false);
        if (bound === undefined) return;
        this.bindings = bound;
        clearTimeout(timer);
        resolve(undefined);
      });
      ended.then(() => {
        clearTimeout(timer);
        resolve(this.failure(command, output, child.exitCode));
      });
    });
  }

  private async stop(): Promise<void> {
    if (this.node === undefined) return;
    const { child, ended } = this.node;
    this.node = undefined;
    this.signal(child, "SIGINT");
    await ended;
  }

  private signal(child: ChildProcess, signal: NodeJS.Signals): void {
    if (child.pid === undefined || child.exitCode !== null) return;
    // Signal the process group (bash, npm and the node), like a terminal.
    process.kill(-child.pid, signal);
  }
}

/** The text of a document. */
export const readDocument = (path: string): string => readFileSync(join(project, path), "utf8");
