/** Checks anchors against nodes over HTTP: with the installed command and with a page in a browser. */
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { encodeHex } from "../src/bytes/hex.ts";
import { run } from "../src/cli/program.ts";
import type { verifyAnchor } from "../src/client/verify-anchor.ts";
import { VirtualClock } from "../src/testing/virtual-clock.ts";
import { AnchoredNodes, HASH, leaves } from "./support/anchored-nodes.ts";
import { chromiumPath, startChromium } from "./support/chromium.ts";
import { removeFolder, runCli, temporaryFolder } from "./support/node-process.ts";

const folder = temporaryFolder("proofs");
let nodes: AnchoredNodes;
let url = "";

beforeAll(async () => {
  nodes = await AnchoredNodes.start();
  url = await nodes.one.server.listen({ host: "127.0.0.1", port: 0 });
});
afterAll(async () => {
  await nodes.stop();
  removeFolder(folder);
});

/** Path of a file in the folder. */
function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const never = (): never => {
  throw new Error("this command does nothing of the kind");
};

/** Runs the same command in this process, since starting a process takes longer than the command. */
async function runHere(...args: readonly string[]) {
  let stdout = "";
  let stderr = "";
  const code = await run(["verify-anchor", ...args], {
    out: (text) => {
      stdout += text;
    },
    err: (text) => {
      stderr += text;
    },
    environment: {},
    clock: new VirtualClock(0),
    onSignal: never,
    onHangup: never,
    onOrphaned: never,
    spawn: never,
    isRunning: never,
    exit: never,
    startNode: never,
    lockDataDir: never,
  });
  return { code, stdout, stderr };
}

describe("the command reports in words and by its exit code", () => {
  // The test hash is that of a single byte.
  const anchored = file("anchored", Uint8Array.of(200));
  const long = file("long", randomBytes(1_000_000));
  let proof = "";
  beforeAll(() => {
    proof = file("proof.json", JSON.stringify(nodes.proof));
  });

  test("that a file is anchored", async () => {
    const node = ["--node", url];
    const { code, stdout, stderr } = await runCli([
      "verify-anchor",
      anchored,
      "--proof",
      proof,
      ...node,
      ...node,
    ]);
    expect(code).toBe(0);
    expect(stderr).toBe("");
    expect(stdout.split("\n").map((line) => line.slice(0, 3))).toEqual(["The", ...Array(7).fill("  ✓"), ""]);
    const leaf = file("leaf", Uint8Array.of(2));
    const treeProof = file("tree.json", JSON.stringify(nodes.treeProof));
    const tree = await runHere(leaf, "--proof", treeProof, ...node);
    expect(tree.code).toBe(0);
    expect(tree.stdout).toContain("✓ the path leads in 3 steps to the root");
    const json = await runHere("--hash", encodeHex(HASH), "--json", ...node);
    expect(json.code).toBe(0);
    expect(JSON.parse(json.stdout).status).toBe("verified");
  });

  test.each<[string, () => string[], number, RegExp]>([
    [
      "that it is not final",
      () => [anchored, "--confirmations", "100000"],
      13,
      /✗ .*; 100000 are required\nNot verified/,
    ],
    [
      "that the proof is for another file",
      () => [long, "--proof", proof],
      11,
      /✗ the proof is for another hash/,
    ],
    ["that the file is not anchored", () => [long], 10, /is not anchored/],
    ["that the proof file is invalid", () => [anchored, "--proof", long], 11, /too large for a proof/],
    [
      "that a node is unreachable",
      () => [anchored, "--node", "http://127.0.0.1:9"],
      14,
      /1 of 2 nodes show the transaction/,
    ],
    ["that the file cannot be read", () => [join(folder, "absent")], 1, /Cannot read/],
    [
      "that the proof file cannot be read",
      () => [anchored, "--proof", join(folder, "absent")],
      1,
      /Cannot read/,
    ],
    ["that a URL is invalid", () => [anchored, "--node", "ftp://127.0.0.1"], 2, /must be a URL/],
    ["that there is nothing to check", () => [], 2, /Give either FILE or --hash/],
    ["that a hash is invalid", () => ["--hash", "0"], 2, /in hexadecimal/],
  ])("%s", async (_, args, code, says) => {
    const said = await runHere("--node", url, ...args());
    expect(said.code).toEqual(code);
    expect(said.stdout + said.stderr).toMatch(says);
    expect(said.stderr).not.toMatch(/^\s+at /m);
  });
});

const title = "a page in a browser checks anchors by itself";

if (chromiumPath === undefined) it.skip(`${title}: no Chromium is found`, () => {});

describe.runIf(chromiumPath !== undefined)(title, () => {
  let site: Server;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    const input = join(import.meta.dirname, "..", "src", "client", "verify-anchor.ts");
    const bundler = await rolldown({ input, platform: "browser" });
    const { output } = await bundler.generate({ format: "iife", name: "anchors" });
    await bundler.close();
    expect(output.length).toBe(1);
    expect(output[0].imports).toEqual([]);
    site = createServer((_request, answer) => answer.setHeader("content-type", "text/html").end("<p>A page"));
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    browser = await startChromium();
    page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
    await page.addScriptTag({ content: output[0].code });
  });
  afterAll(async () => {
    await browser.close();
    site.close();
  });

  /** Runs the check within the page. */
  function check(hash: Uint8Array, proof: unknown) {
    return page.evaluate(
      ([node, bytes, given]) => {
        // The bundle provides the module under this name.
        const { anchors } = globalThis as unknown as {
          readonly anchors: { readonly verifyAnchor: typeof verifyAnchor };
        };
        const hash = Uint8Array.from(bytes);
        return anchors.verifyAnchor({
          fetch: (to, init) => fetch(to, init),
          nodes: [node],
          hash,
          proof: given,
        });
      },
      [url, [...hash], proof] as const,
    );
  }

  it("verifies a correct anchor by path, block and signatures", async () => {
    const verdict = await check(leaves[2], nodes.treeProof);
    expect(verdict.status).toBe("verified");
    expect(verdict.steps.map(({ name }) => name)).toEqual([
      "proof",
      "path",
      "node",
      "block",
      "transaction",
      "signature",
      "place",
      "final",
    ]);
    const here = await nodes.check({ nodes: [url], hash: leaves[2], proof: nodes.treeProof });
    expect(verdict).toEqual(JSON.parse(JSON.stringify(here)));
    expect((await check(HASH, undefined)).status).toBe("verified");
  });

  it("rejects an incorrect anchor", async () => {
    expect((await check(leaves[1], nodes.treeProof)).status).toBe("proof-wrong");
    expect((await check(HASH, { ...nodes.treeProof, targetHash: encodeHex(HASH) })).status).toBe(
      "proof-wrong",
    );
    expect((await check(leaves[4], undefined)).status).toBe("not-anchored");
  });
});
