/** Holdfast only. Page 07 §7.8. */
import Type from "typebox";
import { encodeBase58 } from "../../../bytes/base58.ts";
import { encodeHex } from "../../../bytes/hex.ts";
import type { JsonOut } from "../../../bytes/json.ts";
import { TextError } from "../../../http/errors.ts";
import { jsonReply } from "../../../http/responses/reply.ts";
import type { LeafProof } from "../../../interfaces.ts";
import { HASH } from "../../openapi/dev-examples.ts";
import { type Answer, type Call, get, indexRoutesOf } from "../../route.ts";
import { object, TransactionId } from "../../schemas/common.ts";
import { failsInText, failsWith } from "../../schemas/failures.ts";
import { canBeAnchored, findProofInPool, findProofOnChain } from "./hash-proof.ts";
import { decodeHash } from "./hash-text.ts";

const MAX_LISTED_TRANSACTIONS = 100;

function parsePathHash(call: Call): Uint8Array {
  const text = call.param("hash");
  const hash = text.length % 2 === 0 && /^[0-9a-f]+$/i.test(text) ? decodeHash(text, "hex") : undefined;
  if (hash === undefined || !canBeAnchored(hash)) throw new TextError(400, "invalid hash given");
  return hash;
}

/** Checks the chain first and last: a hash may move to the chain during the search. */
async function answerStatus(call: Call): Promise<Answer> {
  const hash = parsePathHash(call);
  const targetHash = encodeHex(hash);
  const { anchoring } = call.api.control;
  const findOnChain = (tree?: LeafProof | undefined): JsonOut | undefined => {
    const proof = call.read((chain) => findProofOnChain(chain, hash, tree));
    if (proof === undefined) return undefined;
    const { transactionId, height } = proof;
    return { hash: targetHash, status: "anchored", transaction: encodeBase58(transactionId), height };
  };
  const found = findOnChain();
  if (found !== undefined) return found;
  call.requirePool();
  const tree = await anchoring.leafProof(hash);
  const foundTree = tree && findOnChain(tree);
  if (foundTree !== undefined) return foundTree;
  const proofInPool = await findProofInPool(call, hash, tree);
  if (proofInPool !== undefined)
    return { hash: targetHash, status: "unconfirmed", transaction: encodeBase58(proofInPool.transactionId) };
  const queued = await anchoring.queued(hash);
  const anchoredMeanwhile = findOnChain(tree ?? (await anchoring.leafProof(hash)));
  if (anchoredMeanwhile !== undefined) return anchoredMeanwhile;
  if (queued === undefined) return jsonReply(404, { hash: targetHash, status: "unknown" });
  const { since, transactionId } = queued;
  return {
    hash: targetHash,
    status: "queued",
    since,
    transaction: transactionId && encodeBase58(transactionId),
  };
}

async function answerQueue(call: Call): Promise<Answer> {
  const info = await call.api.control.anchoring.info(MAX_LISTED_TRANSACTIONS);
  if (info === undefined) return { mode: "off", waiting: 0, limit: 0, sentCount: 0, sent: [], problem: null };
  const { mode, waiting, limit, oldestSince, sentCount, problem } = info;
  const sent = info.sent.map(({ transactionId, count }) => ({
    transaction: encodeBase58(transactionId),
    count,
  }));
  const problemJson = problem && { message: problem.text, since: problem.since };
  return { mode, waiting, limit, oldest: oldestSince, sentCount, sent, problem: problemJson ?? null };
}

const HexHash = Type.String({ description: "Hexadecimal." });
const Since = Type.Integer({ description: "Milliseconds since 1970." });

export const anchorQueueRoutes = indexRoutesOf("anchors", [
  get("/hash/:hash/status", {
    summary: "Progress of an anchor: in this node's queue, in the pool, or in a block",
    request: { params: { hash: HexHash }, example: { params: { hash: HASH } } },
    answers: {
      ok: object({
        hash: HexHash,
        status: Type.Enum(["queued", "unconfirmed", "anchored"]),
        since: Type.Optional(Since),
        transaction: Type.Optional(TransactionId),
        height: Type.Optional(Type.Integer()),
      }),
      failures: {
        400: failsInText("The hash is not valid."),
        404: failsWith(
          "The hash is unknown to this node and the chain.",
          object({ hash: HexHash, status: Type.Enum(["unknown"]) }),
        ),
      },
    },
    cost: { indexes: ["anchors"] },
    handle: answerStatus,
  }),
  get("/anchors/queue", {
    onFollower: "source",
    summary: "Anchor queue of this node: pending anchors, sent transactions, and errors",
    answers: {
      ok: object({
        mode: Type.Enum(["off", "batch", "merkle"]),
        waiting: Type.Integer({
          description: "Queued hashes, Merkle roots and sponsorships that no transaction contains yet.",
        }),
        limit: Type.Integer({ description: "Maximum number of pending anchors." }),
        oldest: Type.Optional(Since),
        sentCount: Type.Integer({
          description:
            "Number of sent transactions that no block contains yet, or whose block can still be reverted.",
        }),
        sent: Type.Array(object({ transaction: TransactionId, count: Type.Integer() }), {
          description: `The oldest ${MAX_LISTED_TRANSACTIONS} transactions.`,
        }),
        problem: Type.Union([object({ message: Type.String(), since: Since }), Type.Null()], {
          description: "Why the node cannot send anchors; null if it can.",
        }),
      }),
    },
    handle: answerQueue,
  }),
]);
