/** Page 06 §7.16. */
import Type from "typebox";
import { encodeBase58 } from "../../../bytes/base58.ts";
import { JsonNumber, type JsonOut } from "../../../bytes/json.ts";
import type { PeerParts } from "../../../control/index.ts";
import { addressText } from "../../../crypto/addresses.ts";
import { fastHash } from "../../../crypto/hashes.ts";
import { apiError, TextError } from "../../../http/errors.ts";
import { printMembers } from "../../../http/responses/chunked-json.ts";
import { jsonChunksReply, type Reply, textReply } from "../../../http/responses/reply.ts";
import { readMembers } from "../../members.ts";
import { type Call, del, get, post, type ReadCall, routesOf, unwrap } from "../../route.ts";
import {
  AddressText,
  Amount,
  BlockId,
  base58,
  Count,
  Height,
  object,
  Timestamp,
} from "../../schemas/common.ts";
import { BAD_ADDRESS, fails, failsEither, failsInText } from "../../schemas/failures.ts";
import { parseSignature } from "../blocks/blocks.ts";
import { MAX_HOST_LENGTH } from "./peers.ts";

const BLOCKS_PER_SLICE = 20;
const LAST_BLOCKS = 10;
const MAX_PRINT_LENGTH = 250;
const BAD_SYNTAX = "The request contains bad syntax or cannot be fulfilled.";

function parseBoolean(text: string | undefined): boolean | undefined {
  if (/^(?:true|yes|on|1)$/i.test(text ?? "")) return true;
  return /^(?:false|no|off|0)$/i.test(text ?? "") ? false : undefined;
}

async function answerBlocks(call: Call): Promise<JsonOut> {
  const top = call.read((chain) => chain.height());
  const bottom = Math.max(1, top - call.int("howMany") + 1);
  const list: JsonOut[] = [];
  for (let from = top; from >= bottom; from -= BLOCKS_PER_SLICE) {
    call.read((chain) => {
      for (let height = from; height > from - BLOCKS_PER_SLICE && height >= bottom; height--) {
        const bytes = chain.blocks.bytesAt(height);
        if (bytes !== undefined) list.push({ [bytes.length]: encodeBase58(fastHash(bytes)) });
      }
    });
    await new Promise((resolve) => setImmediate(resolve));
  }
  return list;
}

async function answerPortfolio(call: Call): Promise<JsonOut> {
  const withPool = parseBoolean(call.query("considerUnspent"));
  if (withPool === undefined) throw apiError("notFound");
  const address = call.address();
  const pool = withPool ? await call.api.control.pool.effect(address) : undefined;
  const { balance, leaseIn, leaseOut, unbonding } = call.read((chain) => chain.accounts.info(address));
  return {
    balance: balance + (pool?.balance ?? 0n),
    lease: {
      in: leaseIn + (pool?.leaseIn ?? 0n),
      out: leaseOut + (pool?.leaseOut ?? 0n),
      unbonding: unbonding + (pool?.unbonding ?? 0n),
    },
  };
}

function answerState(call: ReadCall, height?: number): Reply {
  return call.read((chain) => {
    const existingHeight = Math.min(height ?? chain.height(), chain.height());
    function* members(): Iterable<[string, bigint]> {
      for (const { address, balance } of chain.accounts.distribution(existingHeight))
        yield [addressText(address), balance];
    }
    return jsonChunksReply(printMembers(members()));
  });
}

/** State that the reference reports before it connects to a peer. */
const NO_PEERS: PeerParts = {
  extensionLoader: "State(Idle,Idle)",
  historyReplier: { blocks: 0, microBlocks: 0 },
  microBlockSynchronizer: { microBlockOwners: 0, nextInvs: 0, awaiting: 0, successfullyReceived: 0 },
  bestChannel: undefined,
  scores: 0,
};

async function answerNodeInfo(call: Call): Promise<JsonOut> {
  const { control } = call.api;
  const restarts = call.api.restarts();
  const [minerState, parts = NO_PEERS] = await Promise.all([control.forging.state(), control.peers.parts()]);
  return call.read((chain) => ({
    stateHeight: chain.height(),
    extensionLoaderState: parts.extensionLoader,
    historyReplierCacheSizes: parts.historyReplier,
    microBlockSynchronizerCacheSizes: parts.microBlockSynchronizer,
    scoreObserverStats: {
      localScore: new JsonNumber(String(chain.blocks.score())).normalized(),
      currentBestChannel: parts.bestChannel === undefined ? "None" : `Some(${parts.bestChannel})`,
      scoresCacheSize: parts.scores,
    },
    minerState,
    // This member is not in the protocol.
    ...(restarts > 0 && { httpRestarts: restarts }),
  }));
}

async function rollback(call: Call): Promise<JsonOut> {
  // Other routes answer an empty body with another text.
  if (call.bytes().length === 0) throw new TextError(400, BAD_SYNTAX);
  const [height, returnTransactions] = readMembers(call.json(), (body) => [
    body.int32("rollbackTo") ?? 0,
    body.flag("returnTransactionsToUtx") ?? false,
  ]);
  const id =
    height < 1 ? undefined : unwrap(await call.api.control.chain.rollback(height, returnTransactions));
  if (id === undefined) throw new TextError(400, "Block at height not found");
  return { BlockId: encodeBase58(id) };
}

async function rollbackTo(call: Call): Promise<JsonOut> {
  const id = parseSignature(call.param("signature"));
  return { BlockId: encodeBase58(unwrap(await call.api.control.chain.rollbackTo(id))) };
}

/** Ignores the port in the body. */
async function ban(call: Call): Promise<Reply> {
  const text = call.text();
  const host = /^\[(.*?)\]/.exec(text)?.[1] ?? (text.split(":").length > 2 ? text : text.split(":")[0]);
  if (host.length > MAX_HOST_LENGTH) throw new TextError(400, BAD_SYNTAX);
  const banned = await call.api.control.peers.ban(host, "Debug API request");
  if (!banned.ok && banned.error.kind === "unknown-host") throw new TextError(400, BAD_SYNTAX);
  unwrap(banned);
  return textReply(200, "OK");
}

function logMessage(call: Call): Reply {
  const message = readMembers(call.json(), (body) => body.text("message") ?? "");
  call.requireAcceptable();
  call.api.log.debug(message.slice(0, MAX_PRINT_LENGTH));
  return textReply(200, "");
}

/** Checks the query before the key. */
function answerConfiguration(call: Call): JsonOut {
  if (parseBoolean(call.query("full")) === undefined) throw apiError("notFound");
  call.requireKey();
  return { lto: call.api.info.configuration };
}

const Balances = Type.Record(Type.String(), Amount, { description: "Regular balance of each address." });
const Ids = Type.Array(BlockId);
const NodeInfo = object({
  stateHeight: Height,
  extensionLoaderState: Type.String(),
  historyReplierCacheSizes: object({ blocks: Count, microBlocks: Count }),
  microBlockSynchronizerCacheSizes: object({
    microBlockOwners: Count,
    nextInvs: Count,
    awaiting: Count,
    successfullyReceived: Count,
  }),
  scoreObserverStats: object({
    localScore: Type.Unsafe<bigint>({ type: "integer", format: "big", description: "Score of the chain." }),
    currentBestChannel: Type.String(),
    scoresCacheSize: Count,
  }),
  minerState: Type.String({
    description: "`mining blocks`, `mining microblocks`, `disabled` or `error: ...`.",
  }),
  httpRestarts: Type.Optional(
    Type.Integer({ description: "Restarts of the HTTP thread; absent if there were none." }),
  ),
});

export const debugRoutes = routesOf("debug", [
  get("/debug/blocks/:howMany", {
    summary: "Size and BLAKE2b-256 hash of the last blocks",
    access: "key:read",
    request: { params: { howMany: Count } },
    answers: { ok: Type.Array(Type.Record(Type.String(), base58("Hash."))) },
    handle: answerBlocks,
  }),
  get("/debug/portfolios/:address", {
    summary: "Balance and leases of an account, optionally with the effect of the pool",
    access: "key:read",
    request: {
      params: { address: AddressText },
      query: { considerUnspent: Type.Boolean({ description: "True to include the effect of the pool." }) },
      required: ["considerUnspent"],
      example: { query: { considerUnspent: false } },
    },
    answers: {
      ok: object({
        balance: Amount,
        lease: object({ in: Amount, out: Amount, unbonding: Amount }),
      }),
      failures: BAD_ADDRESS,
    },
    handle: answerPortfolio,
  }),
  get("/debug/state", {
    summary: "All balances",
    access: "key:read",
    answers: { ok: Balances },
    runsInReader: true,
    handle: (call) => answerState(call),
  }),
  get("/debug/stateAtHeight/:height", {
    summary: "All balances at a height within the rollback depth",
    access: "key:read",
    request: { params: { height: Height } },
    answers: { ok: Balances },
    runsInReader: true,
    handle: (call) => answerState(call, call.int("height")),
  }),
  get("/debug/info", {
    summary: "State of the node's components",
    access: "key:read",
    answers: { ok: NodeInfo },
    handle: answerNodeInfo,
  }),
  get("/debug/minerInfo", {
    summary: "Wallet accounts that forge, and when their next blocks are due",
    access: "key:read",
    answers: {
      ok: Type.Array(object({ address: AddressText, miningBalance: Amount, timestamp: Timestamp })),
    },
    handle: async ({ api }) =>
      (await api.control.forging.miners()).map(({ address, miningBalance, timestamp }) => ({
        address: addressText(address),
        miningBalance,
        timestamp: Math.floor(timestamp),
      })),
  }),
  get("/debug/historyInfo", {
    summary: "Ids of the last persisted blocks, and of the liquid block's micro blocks",
    access: "key:read",
    answers: { ok: object({ lastBlockIds: Ids, microBlockIds: Ids }) },
    handle: (call) =>
      call.read((chain) => ({
        lastBlockIds: chain.blocks.lastPersistedIds(LAST_BLOCKS).map(encodeBase58),
        microBlockIds: chain.blocks.microBlockIds().map(encodeBase58),
      })),
  }),
  get("/debug/configInfo", {
    summary: "Effective configuration with masked secrets",
    access: "key-in-handler:read",
    request: {
      query: { full: Type.Boolean({ description: "Has no effect." }) },
      required: ["full"],
      example: { query: { full: true } },
    },
    answers: { ok: object({ lto: Type.Unknown({ description: "Settings by group and name." }) }) },
    handle: answerConfiguration,
  }),
  post("/debug/print", {
    summary: "Writes a message to the log",
    access: "key:admin",
    request: {
      body: { kind: "json", schema: Type.Object({ message: Type.String() }) },
      example: { body: { message: "hello" } },
    },
    answers: { ok: Type.String(), type: "text/plain" },
    handle: logMessage,
  }),
  post("/debug/blacklist", {
    summary: "Bans the connected hosts of a name or address, and closes their connections",
    access: "key:admin",
    request: {
      body: {
        kind: "text",
        schema: Type.String({ description: "IP address or host name; a port is ignored." }),
      },
      example: { body: "203.0.113.7" },
    },
    answers: {
      ok: Type.String(),
      type: "text/plain",
      failures: {
        400: failsEither(
          failsInText("The host is invalid or cannot be resolved."),
          fails("P2P is disabled on this node."),
        ),
      },
    },
    handle: ban,
  }),
  post("/debug/rollback", {
    summary: "Removes all blocks above a height",
    access: "key:admin",
    request: {
      body: {
        kind: "json",
        schema: Type.Object({ rollbackTo: Height, returnTransactionsToUtx: Type.Boolean() }),
      },
      example: { body: { rollbackTo: 1, returnTransactionsToUtx: false } },
    },
    answers: {
      ok: object({ BlockId }),
      failures: {
        400: failsEither(
          failsInText("The chain has no block at that height."),
          fails("The undo journal does not reach the height."),
        ),
      },
    },
    handle: rollback,
  }),
  del("/debug/rollback-to/:signature", {
    summary: "Removes all blocks above a block",
    access: "key:admin",
    request: { params: { signature: BlockId } },
    answers: { ok: object({ BlockId }), failures: { 400: "The id is not Base58." } },
    handle: rollbackTo,
  }),
]);
