/** A signal before a command begins its work. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { ExitCode } from "../exit-codes.ts";
import { runCommand } from "../testing/fake-node.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-stop-"));
  writeFileSync(join(folder, "blocks"), new Uint8Array(100));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

test.each([
  ["import", "blocks"],
  ["export", "new"],
  ["backup", "new"],
])(
  "%s ends with a message and code 1 after a signal, and creates nothing; a second signal ends it at once",
  async (command, file) => {
    const clock = new VirtualClock(0);
    const exits: number[] = [];
    const { code, out, err } = await runCommand(
      [command, join(folder, file), "--data-dir", join(folder, "data")],
      {
        clock,
        exit: (exit) => exits.push(exit),
        onSignal: (listener) => {
          listener("SIGINT");
          clock.advance(1_000);
          listener("SIGTERM");
          return () => {};
        },
      },
    );
    expect({ code, out }).toEqual({ code: ExitCode.failed, out: "" });
    expect(err).toBe(
      "\nSIGINT: stopping at the next safe point\nSIGTERM again: stopping at once\n" +
        "Stopped before the work began. Start the same command again.\n",
    );
    expect(exits).toEqual([ExitCode.failed]);
    expect(readdirSync(folder)).toEqual(["blocks"]);
  },
);
