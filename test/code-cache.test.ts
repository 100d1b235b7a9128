/** The compiled loader of bundles, with and without the code that V8 compiled. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { removeFolder, temporaryFolder } from "./support/node-process.ts";

const dist = fileURLToPath(new URL("../dist/", import.meta.url));

let folder: string;
beforeEach(() => {
  folder = temporaryFolder("code");
  writeFileSync(
    bundle(),
    'exports.answer = () => "one"; exports.dynamic = () => importModule("node:os").then(({ EOL }) => EOL.length);',
  );
  // Prints for each script that the process compiles if it got code, and if V8 accepted that code.
  writeFileSync(
    join(folder, "watch.cjs"),
    `const vm = require("node:vm");
vm.Script = class extends vm.Script {
  constructor(source, options) {
    super(source, options);
    console.log(options.cachedData === undefined ? "compiled" : this.cachedDataRejected ? "rejected" : "cached");
  }
};`,
  );
});
afterEach(() => removeFolder(folder));

const bundle = (): string => join(folder, "bundle.cjs");
const code = (): string => `${bundle()}.code`;

function node(args: readonly string[], program: string, env: Record<string, string> = {}): string[] {
  const output = execFileSync(
    process.execPath,
    ["--require", join(folder, "watch.cjs"), ...args, "--input-type=module", "--eval", program],
    { encoding: "utf8", env: { ...env, PATH: process.env.PATH, HOME: folder } },
  );
  return output.trimEnd().split("\n");
}

/** Runs the bundle; returns how its code was had, and the answers of its functions. */
function run(env: Record<string, string> = {}, ...args: string[]): string[] {
  const loader = pathToFileURL(join(dist, "runtime", "threads", "load-bundle.js")).href;
  const program = `import { loadBundle } from ${JSON.stringify(loader)};
const { answer, dynamic } = loadBundle(new URL(${JSON.stringify(pathToFileURL(bundle()).href)}));
console.log(answer(), await dynamic());`;
  return node(args, program, env);
}

const record = () => run({ RECORD_CODE_CACHE: "1" });

describe("a bundle", () => {
  test("is compiled if there is no code, which it then does not write", () => {
    expect(run()).toEqual(["compiled", "one 1"]);
    expect(existsSync(code())).toBe(false);
  });

  test("runs with the recorded code", () => {
    expect(record()).toEqual(["compiled", "one 1"]);
    expect(run()).toEqual(["cached", "one 1"]);
  });

  test("is strict code, like the modules that it consists of", () => {
    writeFileSync(bundle(), readFileSync(bundle(), "utf8").replace('"one"', "String(this)"));
    expect(run()).toEqual(["compiled", "undefined 1"]);
  });

  test("is compiled if its source differs from that of the code, also with the same length", () => {
    record();
    writeFileSync(bundle(), readFileSync(bundle(), "utf8").replace("one", "two"));
    expect(run()).toEqual(["compiled", "two 1"]);
  });

  test("is compiled if the code is damaged, cut off or empty", () => {
    record();
    const recorded = readFileSync(code());
    for (const position of [0, 40, recorded.length >> 1, recorded.length - 1]) {
      const damaged = Buffer.from(recorded);
      damaged[position] ^= 1;
      writeFileSync(code(), damaged);
      expect(run(), String(position)).toEqual(["compiled", "one 1"]);
    }
    for (const length of [0, 20, 32, recorded.length >> 1]) {
      writeFileSync(code(), recorded.subarray(0, length));
      expect(run(), String(length)).toEqual(["compiled", "one 1"]);
    }
  });

  test("is compiled if the code is of another Node.js, or V8 has other options", () => {
    const other = join(folder, "other.cjs");
    writeFileSync(other, 'Object.defineProperty(process, "version", { value: "v20.0.0" });');
    record();
    expect(run({}, "--require", other)).toEqual(["compiled", "one 1"]);
    expect(run({}, "--no-opt")).toEqual(["rejected", "one 1"]);
  });
});

describe("the build", () => {
  test("has code for the command and for the HTTP thread, which V8 accepts", () => {
    expect(
      node(
        [],
        `process.argv.push("cli", "version"); await import(${JSON.stringify(join(dist, "cli.js"))});`,
      )[0],
    ).toBe("cached");
    const thread = pathToFileURL(join(dist, "node", "api", "api-thread.js")).href;
    const program = `import { Worker } from "node:worker_threads";
const execArgv = ${JSON.stringify(["--require", join(folder, "watch.cjs")])};
const worker = new Worker(new URL(${JSON.stringify(thread)}), { stdout: true, execArgv });
let out = "";
worker.stdout.on("data", (data) => { out += data; });
worker.postMessage("end");
worker.once("exit", () => console.log(out));`;
    expect(node([], program)[0]).toBe("cached");
  });
});
