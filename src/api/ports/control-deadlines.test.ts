/**
 * `control-port.ts` adds a deadline to some calls, by the number of arguments before it. The interface says which calls
 * take one, and where. This test fails if the two differ.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { MessageChannel } from "node:worker_threads";
import { expect, test } from "vitest";
import type { NodeControl } from "../../interfaces.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { controlOf } from "../testing/control.ts";
import { answerControl, controlOverPort, standardLimits } from "./control-port.ts";

/** Types of parameters have these brackets; of each level only the outermost comma or colon separates. */
const OPENING = "({[<";
const CLOSING = ")}]>";

/** Names of the parameters in a list, `?` behind an optional one. */
function parametersOf(list: string): string[] {
  let depth = 0;
  const parts = [""];
  for (const character of list) {
    if (OPENING.includes(character)) depth++;
    if (CLOSING.includes(character)) depth--;
    if (character === "," && depth === 0) parts.push("");
    else parts[parts.length - 1] += character;
  }
  return parts.map((part) => part.split(":", 1)[0].trim()).filter((name) => name !== "");
}

/** What the interface says of each method. */
function declaredMethods(): Map<keyof NodeControl, string[]> {
  const source = readFileSync(join(import.meta.dirname, "../../interfaces/control.ts"), "utf8");
  const body = source
    .slice(source.indexOf("export interface NodeControl {"))
    .replace(/\/\*\*[\s\S]*?\*\//g, "");
  const found = body.matchAll(/^ {2}(\w+)\(([\s\S]*?)\): Promise</gm);
  // The names of an interface are its keys; the test compares them with those of an object of it.
  return new Map(Array.from(found, ([, name, list]) => [name as keyof NodeControl, parametersOf(list)]));
}

const declared = declaredMethods();

test("the parser finds every method of the interface", () => {
  expect([...declared.keys()].sort()).toEqual(
    Object.keys(controlOverPort(new MessageChannel().port1, new VirtualClock(0))).sort(),
  );
  expect(declared.get("rollback")).toEqual(["height", "returnTransactions", "deadline?"]);
  expect(declared.get("applyCheckpoint")).toEqual(["checkpoint", "deadline?"]);
  expect([...declared.values()].filter((names) => names.includes("deadline?"))).toHaveLength(6);
});

test.each([...declared])(
  "%s gets its arguments, and a deadline where the interface has one",
  async (name, names) => {
    const { port1, port2 } = new MessageChannel();
    const clock = new VirtualClock(5_000);
    const seen: unknown[][] = [];
    const told = {
      [name]: async (...args: unknown[]) => {
        seen.push(args);
        // Enough of a page of the pool, whose bytes are looked at.
        return { bytes: new Uint8Array(0) };
      },
    };
    answerControl(port2, controlOf([], 90, told as Partial<NodeControl>), clock);
    const control = controlOverPort(port1, clock);
    const own = names.filter((one) => one !== "deadline?").map((one) => `the ${one}`);
    // Called by its name, with as many arguments as it declares.
    await (control[name] as (...args: unknown[]) => Promise<unknown>)(...own);
    const deadline = 5_000 + standardLimits.timeoutMs;
    expect(seen).toEqual([names.includes("deadline?") ? [...own, deadline] : own]);
    expect(names.indexOf("deadline?")).toBe(names.includes("deadline?") ? names.length - 1 : -1);
    port1.close();
    port2.close();
  },
);
