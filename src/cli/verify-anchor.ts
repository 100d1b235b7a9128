import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { type Command, InvalidArgumentError } from "commander";
import type { AnchorStatus, AnchorVerdict } from "../client/verify-anchor.ts";
import { readBounded } from "../config/kinds/bounded-file.ts";
import { CommandError, cannotRead, ExitCode, UsageError } from "./exit-codes.ts";
import type { Io } from "./io.ts";
import { wholeNumber } from "./numbers.ts";
import { defaultNodeUrl } from "./running/local-node.ts";

const about = `
Hashes FILE (SHA-256) and checks that the hash is anchored. The command itself verifies the path of the proof, the
transaction, its signatures, and the block with its generator's signature. The given nodes report which blocks are on the
chain; they must all agree. Without --proof, the first node that has a proof provides it.

Exit codes: 0 verified, 10 not anchored, 11 wrong proof, 12 nodes disagree with each other or with the signatures,
13 not final yet, 14 a node does not respond; 1 the file cannot be read, 2 wrong usage. docs/proofs.md says what is proved.

Examples:
  $ holdfast verify-anchor contract.pdf --proof contract.chainpoint.json
  $ holdfast verify-anchor contract.pdf --confirmations 100 \\
      --node https://one.example.com --node https://two.example.org
  $ holdfast verify-anchor --hash \\
      2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824
`;

/** Bytes; the largest proofs have about 10 KB. */
const MAX_PROOF_BYTES = 65_536;

const EXIT_CODES: Record<AnchorStatus, ExitCode> = {
  verified: ExitCode.ok,
  "not-anchored": ExitCode.notAnchored,
  "proof-wrong": ExitCode.proofWrong,
  "nodes-disagree": ExitCode.nodesDisagree,
  "not-final": ExitCode.notFinal,
  unreachable: ExitCode.unreachable,
};

interface Flags {
  readonly proof?: string;
  readonly hash?: Uint8Array;
  readonly node?: readonly string[];
  readonly confirmations: number;
  readonly timeout: number;
  readonly json?: boolean;
}

/** @throws InvalidArgumentError */
export function parseNodeUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "")
    throw new InvalidArgumentError("must be a URL such as https://node.example.com");
  return text;
}

const nodeUrl = (text: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  parseNodeUrl(text),
];

function hexHash(text: string): Uint8Array {
  if (!/^([0-9a-f]{2}){1,80}$/i.test(text))
    throw new InvalidArgumentError("must be 1 to 80 bytes in hexadecimal");
  return Uint8Array.from(Buffer.from(text, "hex"));
}

async function hashFile(path: string): Promise<Uint8Array> {
  const hash = createHash("sha256");
  try {
    for await (const piece of createReadStream(path)) hash.update(piece);
  } catch (error) {
    throw cannotRead(path, error);
  }
  return Uint8Array.from(hash.digest());
}

function readProof(path: string): unknown {
  let text: string | undefined;
  try {
    text = readBounded(path, MAX_PROOF_BYTES);
  } catch (error) {
    throw cannotRead(path, error);
  }
  if (text === undefined) throw new CommandError(ExitCode.proofWrong, `${path} is too large for a proof`);
  try {
    return JSON.parse(text);
  } catch {
    throw new CommandError(ExitCode.proofWrong, `${path} is not a proof: it is not JSON`);
  }
}

function verdictText({ says, steps }: AnchorVerdict): string {
  const lines = steps.map((step) => `  ${step.holds ? "✓" : "✗"} ${step.says}\n`);
  return `${says}\n${lines.join("")}`;
}

export function verifyAnchorCommand(program: Command, io: Io): void {
  const command = program
    .command("verify-anchor")
    .description("check that a file is anchored, without trusting a node")
    .argument("[FILE]", "the file whose SHA-256 was anchored")
    .option("--hash <HEX>", "the hash itself, instead of a file", hexHash)
    .option("--proof <FILE>", "the proof (JSON), as returned by POST /hash or GET /hash")
    .option(
      "--node <URL>",
      "node to ask; may be repeated up to 16 times (default: the one on this machine)",
      nodeUrl,
    )
    .option(
      "--confirmations <COUNT>",
      "number of blocks that must follow the block of the anchor",
      wholeNumber(1),
      1,
    )
    .option("--timeout <SECONDS>", "timeout of a response, up to 3600", wholeNumber(1, 3_600), 20)
    .option("--json", "print the verdict as JSON")
    .addHelpText("after", about);
  command.action(async (file: string | undefined) => {
    const { proof, hash, node, confirmations, timeout, json } = command.opts<Flags>();
    if ((file === undefined) === (hash === undefined)) throw new UsageError("Give either FILE or --hash");
    const { MAX_NODES, verifyAnchor } = await import("../client/verify-anchor.ts");
    const nodes = node ?? [await defaultNodeUrl()];
    if (nodes.length > MAX_NODES) throw new UsageError(`At most ${MAX_NODES} nodes can be asked`);
    const verdict = await verifyAnchor({
      fetch: (url, init) => fetch(url, init),
      after: (delayMs, task) => io.clock.after(delayMs, task),
      timeoutMs: 1_000 * timeout,
      nodes,
      hash: hash ?? (await hashFile(file ?? "")),
      ...(proof === undefined ? {} : { proof: readProof(proof) }),
      confirmations,
    });
    io.out(json === true ? `${JSON.stringify(verdict)}\n` : verdictText(verdict));
    if (verdict.status !== "verified") throw new CommandError(EXIT_CODES[verdict.status], "Not verified.");
  });
}
