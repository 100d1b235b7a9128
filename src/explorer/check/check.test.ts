import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  AnchoredNodes,
  answers,
  changed,
  HASH,
  type Lie,
  leaves,
  NODE,
} from "../../../test/support/anchored-nodes.ts";
import { encodeBase58 } from "../../bytes/base58.ts";
import { encodeBase64 } from "../../bytes/base64.ts";
import { encodeHex } from "../../bytes/hex.ts";
import { encodeUtf8 } from "../../bytes/utf8.ts";
import { sha256 } from "../../crypto/hashes.ts";
import { FileError, type HashableFile, hashFile, MAX_FILE_BYTES } from "./hash-file.ts";
import { MAX_PROOF_LENGTH, parseHash, parseProof } from "./parse-input.ts";
import { type CheckSubject, type CheckView, runCheck } from "./run-check.ts";
import { checkTexts as dutchTexts } from "./texts.nl.ts";

/** The file whose hash is anchored. */
const CONTENT = Uint8Array.of(200);

function fileOf(...pieces: Uint8Array[]): HashableFile {
  return new Blob(pieces.map((piece) => Uint8Array.from(piece)));
}

const pause = async (): Promise<void> => {};

interface Case {
  readonly subject?: CheckSubject;
  readonly proof?: unknown;
  readonly lie?: Lie;
  readonly findQueued?: { readonly since: number | undefined };
  readonly url?: string;
}

let nodes: AnchoredNodes;
beforeAll(async () => {
  nodes = await AnchoredNodes.start();
});
afterAll(() => nodes.stop());

async function views({ subject, proof, lie, findQueued, url = NODE }: Case): Promise<CheckView[]> {
  const seen: CheckView[] = [];
  const options = {
    subject: subject ?? { file: fileOf(CONTENT) },
    proof,
    nodeUrl: url,
    fetch: nodes.fetch(lie === undefined ? {} : { [NODE]: lie }),
    findQueued: async () => findQueued,
    pause,
    signal: new AbortController().signal,
  };
  await runCheck(options, (view) => seen.push(view));
  return seen;
}

async function check(one: Case): Promise<CheckView> {
  const last = (await views(one)).at(-1);
  if (last?.outcome === undefined) throw new Error("it has not ended");
  return last;
}

const states = ({ steps }: CheckView) => steps.map(({ state }) => state);

function words({ outcome }: CheckView): string {
  return (outcome?.sentence ?? [])
    .map((part) => (typeof part === "string" ? part : `<${part.kind}>`))
    .join("");
}

describe("an anchored file", () => {
  test("has an outcome sentence, and steps with their findings", async () => {
    const view = await check({});
    expect(view.outcome).toMatchObject({ tone: "good", title: "Anchored" });
    expect(words(view)).toMatch(
      /^This file existed, exactly as it is, on <time>: account <address> put its fingerprint into block <height> with transaction <transaction>, on the chain that begins with block <block>\. The block has \d+ confirmations?\.$/,
    );
    expect(view.outcome?.advice).toContain("ask other nodes");
    expect(view.steps.map(({ name, state }) => [name, state])).toEqual([
      ["file", "holds"],
      ["proof", "holds"],
      ["block", "holds"],
      ["transaction", "holds"],
      ["final", "holds"],
    ]);
    const texts = view.steps.flatMap(({ findings }) => findings.map(({ text }) => text));
    expect(texts).toContainEqual(expect.stringMatching(/^The block, of \d+ \w+ \d{4}, [\d:]+, is signed/));
    for (const { findings, howTo } of view.steps) {
      expect(findings.length).toBeGreaterThan(0);
      expect(howTo.text).not.toBe("");
      expect(howTo.commands.join("\n")).not.toMatch(/undefined|HASH|HEIGHT|BLOCK\b/);
    }
    expect(view.hash).toBe(encodeHex(HASH));
  });

  test("is shown after each step", async () => {
    const seen = await views({});
    expect(states(seen[0])).toEqual(["running", "waiting", "waiting", "waiting", "waiting"]);
    const ways = new Set(seen.map((view) => states(view).join()));
    expect([...ways]).toEqual([
      "running,waiting,waiting,waiting,waiting",
      "holds,running,waiting,waiting,waiting",
      "holds,holds,running,waiting,waiting",
      "holds,holds,holds,running,waiting",
      "holds,holds,holds,holds,running",
      "holds,holds,holds,holds,holds",
    ]);
  });

  test("is verified by a tree proof, and by its hash alone", async () => {
    const tree = await check({ subject: { file: fileOf(Uint8Array.of(2)) }, proof: nodes.treeProof });
    expect(tree.outcome?.title).toBe("Anchored");
    expect(tree.steps[1].findings.map(({ text }) => text)).toContainEqual(
      expect.stringContaining("path leads"),
    );
    const bare = await check({ subject: { hash: HASH } });
    expect(words(bare)).toMatch(/^The file with this fingerprint existed,/);
    expect(bare.steps[0].findings[0].text).toContain("Entered, not computed here");
  });
});

describe("a file that was not anchored", () => {
  const other = { subject: { file: fileOf(encodeUtf8("another")) } };

  test("is reported as unknown", async () => {
    const view = await check(other);
    expect(view.outcome).toMatchObject({ tone: "bad", title: "Not anchored" });
    expect(words(view)).toBe("The node knows no transaction with the fingerprint of this file.");
    expect(states(view)).toEqual(["holds", "fails", "left out", "left out", "left out"]);
    const bare = await check({ subject: { hash: sha256(encodeUtf8("another")) } });
    expect(words(bare)).toBe("The node knows no transaction with this fingerprint.");
  });

  test("is reported as queued if the node has its hash", async () => {
    const view = await check({ ...other, findQueued: { since: 1_000 } });
    expect(view.outcome).toMatchObject({ tone: "waiting", title: "Not yet anchored" });
    expect(words(view)).toContain("received the fingerprint of this file on <time> and will anchor it");
  });

  test("is not verified by another file's proof", async () => {
    const view = await check({ ...other, proof: nodes.proof });
    expect(view.outcome).toMatchObject({ tone: "bad", title: "Not proved" });
    expect(words(view)).toBe("The proof is invalid, or belongs to another file.");
    const moved = await check({
      subject: { hash: leaves[2] },
      proof: { ...nodes.treeProof, anchors: (nodes.proof as { chainpoint: object }).chainpoint },
    });
    expect(moved.outcome?.title).toBe("Not proved");
  });
});

describe("an anchor that proves nothing yet", () => {
  const INFO = /^\/transactions\/info/;

  test("has a pending transaction", async () => {
    const lie: Lie = (path, truth) => {
      if (INFO.test(path)) return { status: 404, bytes: new Uint8Array(0) };
      const isPool = /^\/transactions\/unconfirmed/.test(path);
      return isPool ? { status: 200, bytes: encodeUtf8("{}") } : truth;
    };
    const view = await check({ lie });
    expect(view.outcome).toMatchObject({ tone: "waiting", title: "Not yet anchored" });
    expect(words(view)).toContain("is pending");
  });

  test("is in the newest block", async () => {
    const { height } = (nodes.proof as { chainpoint: { block: { height: string } } }).chainpoint.block;
    const lie = changed(/^\/blocks\/height/, () => ({ height: Number(height) }));
    const view = await check({ lie });
    expect(view.outcome).toMatchObject({ tone: "waiting", title: "Not yet final" });
    expect(states(view).at(-1)).toBe("fails");
  });
});

describe("a lying node", () => {
  test.each<[string, Lie]>([
    [
      "with the proof of another hash",
      changed(/^\/index\/hash/, (proof: { chainpoint: object }) => ({
        chainpoint: { ...proof.chainpoint, targetHash: "00".repeat(32) },
      })),
    ],
    [
      "with a transaction that anchors something else",
      changed(/^\/index\/hash/, (proof: { chainpoint: object }) => {
        const { block, transaction, anchors } = nodes.treeProof as Record<string, unknown>;
        return { chainpoint: { ...proof.chainpoint, block, transaction, anchors } };
      }),
    ],
    ["with an invalid block", answers(/^\/blocks\/bytes/, 200, encodeUtf8("no block"))],
    [
      "with a changed block",
      (path, truth) => {
        if (!/^\/blocks\/bytes/.test(path)) return truth;
        const bytes = Uint8Array.from(truth.bytes);
        bytes[150] ^= 1;
        return { ...truth, bytes };
      },
    ],
  ])("is not believed %s", async (_, lie) => {
    const view = await check({ lie });
    expect(view.outcome).toMatchObject({ tone: "bad", title: "Not proved" });
    expect(words(view)).toContain("do not trust its answers");
    expect(states(view)).toContain("fails");
  });

  test("differs from one that does not answer", async () => {
    const view = await check({ lie: answers(/./, 503) });
    expect(view.outcome).toMatchObject({ tone: "unknown", title: "Not checked" });
  });

  test("is described in Dutch", async () => {
    const { findings: texts } = dutchTexts;
    for (const [lie, text] of [
      [answers(/./, 503), "geen antwoord (it answers 503)"],
      [answers(/^\/index\/hash/, 403), "een ongeldig antwoord (it answers 403)"],
      [answers(/^\/blocks\/bytes/, 200, encodeUtf8("no block")), "de bytes vormen geen blok"],
    ] as const)
      expect((await nodes.check({ lies: { [NODE]: lie }, texts })).says).toContain(text);
  });

  test("cannot inject its URL into a command", async () => {
    const view = await check({ url: "http://node.example/a'$(id)" });
    const commands = view.steps.flatMap(({ howTo }) => howTo.commands);
    expect(commands.filter((line) => line.includes("$(id)"))).not.toEqual([]);
    for (const line of commands) expect(line.replace(/'[^']*'/g, "")).not.toContain("$(id)");
  });
});

describe("a file", () => {
  const content = new Uint8Array(5_000_000).map((_, i) => i);

  test("is hashed in chunks, with progress reports", async () => {
    const told: number[] = [];
    const signal = new AbortController().signal;
    const hash = await hashFile(fileOf(content), (done) => told.push(done), pause, signal);
    expect(encodeHex(hash)).toBe(encodeHex(sha256(content)));
    expect(told.at(-1)).toBe(content.length);
    expect(told).toEqual([...told].sort((a, b) => a - b));
    expect(encodeHex(await hashFile(fileOf(), () => {}, pause, signal))).toBe(
      encodeHex(sha256(new Uint8Array(0))),
    );
  });

  test("is not read further after an abort", async () => {
    const left = new AbortController();
    const hashed = hashFile(fileOf(content), () => left.abort(), pause, left.signal);
    await expect(hashed).rejects.toThrow("abort");
    const seen: CheckView[] = [];
    left.abort();
    const gone = { subject: { file: fileOf(content) }, nodeUrl: NODE, fetch: nodes.fetch(), pause };
    await runCheck({ ...gone, findQueued: async () => undefined, signal: left.signal }, (view) =>
      seen.push(view),
    );
    expect(seen).toEqual([]);
  });

  test("that is too long or unreadable is reported", async () => {
    const { signal } = new AbortController();
    const long = { size: MAX_FILE_BYTES + 1, stream: () => new Blob([]).stream() };
    await expect(hashFile(long, () => {}, pause, signal)).rejects.toThrow(FileError);
    const stream = () => new ReadableStream({ pull: (controller) => controller.error(new Error("gone")) });
    const view = await check({ subject: { file: { size: 5, stream } } });
    expect(words(view)).toContain("Cannot read the whole file");
    expect(states(view)).toEqual(["fails", "left out", "left out", "left out", "left out"]);
  });
});

describe("parsing", () => {
  test("accepts a hash in any encoding", () => {
    for (const text of [
      encodeHex(HASH),
      ` ${encodeHex(HASH).toUpperCase()}\n`,
      `sha256:${encodeHex(HASH)}`,
      encodeBase58(HASH),
      encodeBase64(HASH),
      `base64:${encodeBase64(HASH)}`,
    ])
      expect(encodeHex(parseHash(text) ?? new Uint8Array(0))).toBe(encodeHex(HASH));
    for (const text of ["", "no", "abcd", "0".repeat(64_000), encodeHex(HASH).slice(1), "é".repeat(44)])
      expect(parseHash(text)).toBeUndefined();
  });

  test("accepts proofs and nothing else", () => {
    const text = JSON.stringify(nodes.proof);
    expect(encodeHex(parseProof(text)?.chainpoint.hash ?? new Uint8Array(0))).toBe(encodeHex(HASH));
    for (const none of [
      "",
      "{",
      "[]",
      "{}",
      '{"chainpoint":null}',
      `{"a":"${"x".repeat(MAX_PROOF_LENGTH)}"}`,
    ])
      expect(parseProof(none)).toBeUndefined();
  });
});
