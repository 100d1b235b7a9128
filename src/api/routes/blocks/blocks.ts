/** Page 06 §7.3. */
import Type from "typebox";
import { decodeBase58 } from "../../../bytes/base58.ts";
import { bytesEqual } from "../../../bytes/compare.ts";
import { tryDecode } from "../../../bytes/errors.ts";
import type { JsonOut } from "../../../bytes/json.ts";
import { apiError } from "../../../http/errors.ts";
import { printList } from "../../../http/responses/chunked-json.ts";
import { jsonChunksReply, jsonReply, jsonTextReply, Reply } from "../../../http/responses/reply.ts";
import type { ChainSnapshot, HeaderInfo } from "../../../interfaces.ts";
import { blockJson, childBlockJson, headerJson } from "../../chain-json.ts";
import { decodeOrRefuse } from "../../decode.ts";
import { immutableHeaders, immutableJson } from "../../immutable.ts";
import { cursors } from "../../lists/cursors.ts";
import {
  invalidParameter,
  listReply,
  NextCursorHeader,
  pageOf,
  pageParameters,
  parsePage,
  withOneMore,
} from "../../lists/pages.ts";
import { GENESIS_ID } from "../../openapi/dev-examples.ts";
import {
  type Answer,
  type Call,
  get,
  MAX_PARAMETER_LENGTH,
  post,
  type ReadCall,
  routesOf,
  unwrap,
} from "../../route.ts";
import { BlockSchema, ChildBlockSchema, HeaderSchema } from "../../schemas/blocks.ts";
import { AddressText, BlockId, Count, Height, int64, object, SignatureText } from "../../schemas/common.ts";
import { parseCheckpoint } from "./checkpoint.ts";

const MAX_ID_TEXT_LENGTH = 88;
/** More bytes or headers need a reader thread. */
const MAX_LIGHT_BLOCK_BYTES = 32 * 1024;
const MAX_LIGHT_HEADERS = 20;
const MAX_RANGE = 100;

const BYTES_TYPE = "application/octet-stream";

const NO_BLOCK = { 404: "The block does not exist." };
export const BAD_BLOCK_ID = { 400: "The id is not Base58, or too long.", 404: "The block does not exist." };
const BAD_RANGE = { 400: "The range is reversed, or longer than 100 blocks." };

/** @throws ApiError 101 */
export function parseBlockId(text: string): Uint8Array {
  return parseSignature(text, MAX_ID_TEXT_LENGTH);
}

/** @throws ApiError 101 */
export function parseSignature(text: string, limit = MAX_PARAMETER_LENGTH): Uint8Array {
  return decodeOrRefuse("invalidSignature", () => decodeBase58(text, limit));
}

/** @throws ApiError 301 */
export function requireBlock<T>(value: T | undefined): T {
  if (value === undefined) throw apiError("blockDoesNotExist");
  return value;
}

export function lastHeader(chain: ChainSnapshot): HeaderInfo {
  return requireBlock(chain.blocks.header(chain.height()));
}

/** Limits the range to heights on the chain. @throws ApiError 10 */
function parseRange(call: ReadCall, chain: ChainSnapshot, max = MAX_RANGE): { from: number; to: number } {
  const from = call.int("from");
  const to = call.int("to");
  if (to < from || to - from >= max) throw apiError("tooBigArray");
  return { from: Math.max(from, 1), to: Math.min(to, chain.height()) };
}

function answerRange<T>(
  call: ReadCall,
  read: (chain: ChainSnapshot, height: number) => T | undefined,
  json: (block: T) => JsonOut,
): Reply {
  return call.read((chain) => {
    const { from, to } = parseRange(call, chain);
    function* rows() {
      for (let height = from; height <= to; height++) {
        const block = read(chain, height);
        if (block !== undefined) yield json(block);
      }
    }
    // Use the requested end: a range with future heights is not immutable.
    return jsonChunksReply(printList(rows()), immutableHeaders(call, chain, call.int("to")));
  });
}

function answerBlocksOfGenerator(call: ReadCall): Answer {
  const page = parsePage(call, cursors.blocks, invalidParameter, MAX_RANGE);
  return call.read((chain) => {
    const { from, to } = parseRange(call, chain, page === undefined ? MAX_RANGE : Number.POSITIVE_INFINITY);
    // The address may be of any network. If it is not Base58, the answer is empty.
    const generator = tryDecode(() => decodeBase58(call.param("address"), MAX_PARAMETER_LENGTH));
    if (generator === undefined || from > to) return [];
    const heights = chain.blocks.heightsGeneratedBy(generator, from, to, page && withOneMore(page));
    const { shown, next } = pageOf(heights, page, cursors.blocks, (height) => height);
    function* rows() {
      for (const height of shown) {
        const block = chain.blocks.at(height);
        if (block !== undefined) yield blockJson(block);
      }
    }
    return listReply(call, rows(), next);
  });
}

function blockIdOf(call: ReadCall): Uint8Array {
  return parseBlockId(call.param("signature"));
}

function isLarge(find: (chain: ChainSnapshot, call: ReadCall) => HeaderInfo | undefined) {
  return (call: ReadCall) => call.read((chain) => (find(chain, call)?.size ?? 0) > MAX_LIGHT_BLOCK_BYTES);
}

const isLargeById = isLarge((chain, call) => chain.blocks.headerById(blockIdOf(call)));

function blockAt(chain: ChainSnapshot, height: number): JsonOut {
  return blockJson(requireBlock(chain.blocks.at(height)));
}

/** `read` must search by height or id, because caches keep the answer. */
function answerBlock<T extends HeaderInfo>(
  call: ReadCall,
  read: (chain: ChainSnapshot) => T | undefined,
  json: (block: T) => JsonOut,
): Answer {
  return call.read((chain) => {
    const block = requireBlock(read(chain));
    return immutableJson(call, chain, block.height, json(block));
  });
}

/** Rounds the mean delay towards zero. @throws ApiError 101, 301, 0 */
function answerDelay(call: Call): JsonOut {
  const id = blockIdOf(call);
  const count = call.int("blockNum");
  return call.read((chain) => {
    const header = requireBlock(chain.blocks.headerById(id));
    const ancestor = count === 0 ? undefined : chain.blocks.header(header.height - count);
    if (ancestor === undefined) throw apiError("unknown");
    return { delay: (header.timestamp - ancestor.timestamp) / BigInt(count) };
  });
}

/** Finds a block only by its current id, not by the id of an earlier micro block. @throws ApiError 101, 301 */
function answerBytes(call: ReadCall): Reply {
  const id = blockIdOf(call);
  return call.read((chain) => {
    const height = requireBlock(chain.blocks.heightOf(id));
    if (!bytesEqual(requireBlock(chain.blocks.idAt(height)), id)) throw apiError("blockDoesNotExist");
    const body = requireBlock(chain.blocks.bytesAt(height));
    return new Reply({ type: BYTES_TYPE, body, headers: immutableHeaders(call, chain, height) });
  });
}

export const blockRoutes = routesOf("blocks", [
  get("/blocks/height", {
    summary: "Current height, including the liquid block",
    answers: { ok: object({ height: Height }) },
    cost: { cacheable: true },
    handle: (call) => jsonTextReply(`{"height":${call.read((chain) => chain.height())}}`),
  }),
  get("/blocks/height/:signature", {
    summary: "Height of a block",
    request: { params: { signature: BlockId } },
    answers: { ok: object({ height: Height }), failures: BAD_BLOCK_ID },
    cost: { cacheable: true },
    handle: (call) => {
      const id = blockIdOf(call);
      return { height: requireBlock(call.read((chain) => chain.blocks.heightOf(id))) };
    },
  }),
  get("/blocks/last", {
    summary: "The last block",
    answers: { ok: BlockSchema, hasEntityTag: true },
    cost: { cacheable: true, isExpensive: isLarge(lastHeader) },
    runsInReader: true,
    handle: (call) => call.read((chain) => blockAt(chain, chain.height())),
  }),
  get("/blocks/first", {
    summary: "The genesis block",
    answers: { ok: BlockSchema, hasEntityTag: true },
    cost: { cacheable: true },
    handle: (call) => answerBlock(call, (chain) => chain.blocks.at(1), blockJson),
  }),
  get("/blocks/at/:height", {
    summary: "The block at a height",
    request: { params: { height: Height } },
    answers: { ok: BlockSchema, hasEntityTag: true, failures: NO_BLOCK },
    cost: {
      cacheable: true,
      isExpensive: isLarge((chain, call) => chain.blocks.header(call.int("height"))),
    },
    runsInReader: true,
    handle: (call) => answerBlock(call, (chain) => chain.blocks.at(call.int("height")), blockJson),
  }),
  get("/blocks/seq/:from/:to", {
    summary: "Blocks of a height range [from, to], at most 100",
    request: { params: { from: Height, to: Height } },
    answers: { ok: Type.Array(BlockSchema), hasEntityTag: true, failures: BAD_RANGE },
    cost: { cacheable: true },
    runsInReader: true,
    handle: (call) => answerRange(call, (chain, height) => chain.blocks.at(height), blockJson),
  }),
  get("/blocks/address/:address/:from/:to", {
    summary:
      "Blocks that an account generated in a height range of at most 100 blocks, or of any length with pages",
    request: {
      params: { address: AddressText, from: Height, to: Height },
      query: pageParameters(cursors.blocks, MAX_RANGE),
      example: { params: { from: 1, to: 100 } },
    },
    answers: {
      ok: Type.Array(BlockSchema),
      headers: NextCursorHeader,
      failures: { 400: "The range is reversed or longer than 100 blocks, or a parameter is not valid." },
    },
    cost: { cacheable: true },
    runsInReader: true,
    handle: answerBlocksOfGenerator,
  }),
  get("/blocks/signature/:signature", {
    summary: "A block by id; for the id of a micro block, the block up to that micro block",
    request: { params: { signature: BlockId } },
    answers: { ok: BlockSchema, hasEntityTag: true, failures: BAD_BLOCK_ID },
    cost: { cacheable: true, isExpensive: isLargeById },
    runsInReader: true,
    handle: (call) => {
      return answerBlock(call, (chain) => chain.blocks.byId(blockIdOf(call)), blockJson);
    },
  }),
  get("/blocks/bytes/:signature", {
    summary: "The bytes of a block; the last 64 bytes are its signature, which is its id",
    request: { params: { signature: BlockId } },
    answers: {
      ok: Type.String({ format: "binary" }),
      type: BYTES_TYPE,
      hasEntityTag: true,
      failures: BAD_BLOCK_ID,
    },
    cost: { cacheable: true, isExpensive: isLargeById },
    runsInReader: true,
    handle: answerBytes,
  }),
  get("/blocks/child/:signature", {
    summary: "The child of a block",
    request: { params: { signature: BlockId } },
    answers: {
      ok: Type.Union([ChildBlockSchema, object({ status: Type.Enum(["error"]), details: Type.String() })]),
      hasEntityTag: true,
      failures: BAD_BLOCK_ID,
    },
    cost: {
      cacheable: true,
      isExpensive: isLarge((chain, call) =>
        chain.blocks.header((chain.blocks.heightOf(blockIdOf(call)) ?? 0) + 1),
      ),
    },
    runsInReader: true,
    handle: (call) => {
      const id = blockIdOf(call);
      return call.read((chain) => {
        const child = chain.blocks.at(requireBlock(chain.blocks.heightOf(id)) + 1);
        if (child === undefined) return jsonReply(200, { status: "error", details: "No child blocks" });
        return immutableJson(call, chain, child.height, childBlockJson(child));
      });
    },
  }),
  get("/blocks/delay/:signature/:blockNum", {
    summary: "Mean block time in ms over the given number of blocks, up to the block with this id",
    request: { params: { signature: BlockId, blockNum: Count } },
    answers: {
      ok: object({ delay: int64("Milliseconds.") }),
      failures: { ...BAD_BLOCK_ID, 500: "The block has fewer ancestors." },
    },
    cost: { cacheable: true },
    handle: answerDelay,
  }),
  get("/blocks/headers/last", {
    summary: "Header of the last block",
    answers: { ok: HeaderSchema, hasEntityTag: true },
    cost: { cacheable: true },
    handle: (call) => call.read((chain) => headerJson(lastHeader(chain))),
  }),
  get("/blocks/headers/at/:height", {
    summary: "Header of the block at a height",
    request: { params: { height: Height } },
    answers: { ok: HeaderSchema, hasEntityTag: true, failures: NO_BLOCK },
    cost: { cacheable: true },
    handle: (call) => answerBlock(call, (chain) => chain.blocks.header(call.int("height")), headerJson),
  }),
  get("/blocks/headers/seq/:from/:to", {
    summary: "Headers of a height range [from, to], at most 100",
    request: { params: { from: Height, to: Height } },
    answers: { ok: Type.Array(HeaderSchema), hasEntityTag: true, failures: BAD_RANGE },
    cost: { cacheable: true, isExpensive: (call) => call.int("to") - call.int("from") >= MAX_LIGHT_HEADERS },
    runsInReader: true,
    handle: (call) => answerRange(call, (chain, height) => chain.blocks.header(height), headerJson),
  }),
  post("/blocks/checkpoint", {
    onFollower: "source-http",
    summary: "Applies a checkpoint signed with the network's key",
    request: {
      body: {
        kind: "json",
        schema: Type.Object({
          items: Type.Array(Type.Object({ height: Height, signature: BlockId })),
          signature: SignatureText,
        }),
      },
      example: { body: { items: [{ height: 1, signature: GENESIS_ID }], signature: GENESIS_ID } },
    },
    answers: {
      ok: object({ "": Type.String() }),
      failures: { 400: "The signature is wrong, or the checkpoint was already applied." },
    },
    handle: async (call) => {
      unwrap(await call.api.control.chain.applyCheckpoint(parseCheckpoint(call.json())));
      return { "": "" };
    },
  }),
]);
