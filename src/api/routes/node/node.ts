/** Page 06 §7.2. */
import Type from "typebox";
import { type JsonOut, printJson } from "../../../bytes/json.ts";
import { LOG_AREAS, LOG_LEVELS, type LogLevelPlan } from "../../../control/log-level.ts";
import { ApiError, failure } from "../../../http/errors.ts";
import { Reply } from "../../../http/responses/reply.ts";
import type { ChainSnapshot } from "../../../interfaces.ts";
import type { NetworkProfile } from "../../../profiles/index.ts";
import { UnavailableError } from "../../../runtime/rpc.ts";
import { readMembers } from "../../members.ts";
import { type Call, get, post, put, routesOf } from "../../route.ts";
import { Height, object, Timestamp } from "../../schemas/common.ts";
import { lastHeader } from "../blocks/blocks.ts";
import { uncheckedJson, uncheckedMembers } from "./unchecked.ts";

/** Omits zero milliseconds. */
export function isoDate(ms: number): string {
  return new Date(ms).toISOString().replace(".000Z", "Z");
}

const roundRate = (value: number): number => Math.round(value * 100) / 100;

function networkJson(profile: NetworkProfile): JsonOut {
  const { name, displayName, tokenSymbol, chainId, accountNames = {} } = profile;
  return { name, displayName, tokenSymbol, chainId, accountNames };
}

async function answerSync(call: Call): Promise<JsonOut> {
  const info = await call.api.control.peers.sync();
  const [height, unchecked] = call.read((chain) => [chain.height(), chain.blocks.unchecked()] as const);
  const { targetHeight, claimedHeight, secondsLeft } = info ?? {};
  return {
    height,
    peers: info?.peers ?? 0,
    behind: targetHeight !== undefined,
    // The chain may have grown since peers reported this height.
    ...(targetHeight !== undefined && { targetHeight: Math.max(height, targetHeight) }),
    ...(claimedHeight !== undefined && { claimedHeight: Math.max(height, claimedHeight) }),
    blocksPerSecond: roundRate(info?.blocksPerSecond ?? 0),
    transactionsPerSecond: roundRate(info?.transactionsPerSecond ?? 0),
    secondsLeft,
    ...uncheckedJson(unchecked),
    network: networkJson(call.info.network),
  };
}

export const StatusSchema = object({
  blockchainHeight: Height,
  stateHeight: Height,
  updatedTimestamp: Timestamp,
  updatedDate: Type.String(),
});

export function nodeStatus(chain: ChainSnapshot): JsonOut {
  const height = chain.height();
  const { timestamp } = lastHeader(chain);
  return {
    blockchainHeight: height,
    stateHeight: height,
    updatedTimestamp: timestamp,
    updatedDate: isoDate(Number(timestamp)),
  };
}

const LogLevelSchema = Type.Enum([...LOG_LEVELS]);
const LogLevelsSchema = object({
  level: Type.Enum([...LOG_LEVELS], { description: "Level of the parts that are not in `areas`." }),
  areas: Type.Record(Type.String(), LogLevelSchema, {
    description: `Parts with their own level; known parts: ${LOG_AREAS.join(", ")}.`,
  }),
});

const levelsJson = ({ level, areas }: LogLevelPlan): JsonOut => ({ level, areas: { ...areas } });

/** An error quotes at most this many characters of an unknown word. */
const MAX_REPEATED_WORD = 40;

function parseWord<T extends string>(words: readonly T[], what: string, value: string): T {
  const found = words.find((word) => word === value);
  if (found !== undefined) return found;
  const text = JSON.stringify(value.slice(0, MAX_REPEATED_WORD));
  throw new ApiError(failure(400, 400, `Unknown ${what} ${text}: use one of ${words.join(", ")}`));
}

async function setLogLevel(call: Call): Promise<JsonOut> {
  const words = readMembers(call.json(), (body) => {
    const level = body.text("level") ?? "";
    const area = body.has("area") ? body.text("area") : undefined;
    return { level, area };
  });
  const level = parseWord(LOG_LEVELS, "log level", words.level);
  const area = words.area === undefined ? undefined : parseWord(LOG_AREAS, "log area", words.area);
  return levelsJson(await call.api.control.node.setLogLevel(level, area));
}

export const nodeRoutes = routesOf("node", [
  get("/node/version", {
    summary: "Name and version of the software",
    answers: { ok: object({ version: Type.String() }) },
    handle: (call) => ({ version: `Holdfast v${call.api.info.version}` }),
  }),
  get("/node/status", {
    summary: "Height and time of the last block",
    answers: { ok: StatusSchema },
    cost: { cacheable: true },
    handle: (call) => call.read(nodeStatus),
  }),
  get("/node/sync", {
    summary: "Progress of synchronization with peers, and the names of the network",
    answers: {
      ok: object({
        height: Height,
        peers: Type.Integer({ minimum: 0, description: "Number of connected peers." }),
        behind: Type.Boolean({
          description:
            "True if this node has blocks that prove a better chain. A peer's claim is not a proof.",
        }),
        targetHeight: Type.Optional(
          Type.Integer({
            description: "Approximate height of the better chain, estimated from its score.",
          }),
        ),
        claimedHeight: Type.Optional(
          Type.Integer({
            description: "Approximate height that a connected peer claims. The node does not rely on it.",
          }),
        ),
        blocksPerSecond: Type.Number({
          description: "Average over the last 30 seconds, like `transactionsPerSecond`.",
        }),
        transactionsPerSecond: Type.Number(),
        secondsLeft: Type.Optional(Type.Integer({ description: "At the current rate; absent if unknown." })),
        ...uncheckedMembers,
        network: object({
          name: Type.String({ description: "`dev`, `mainnet`, `testnet` or `custom`." }),
          displayName: Type.String({ description: "Name for people, at most 40 characters." }),
          tokenSymbol: Type.String({ description: "Unit of whole tokens, at most 12 characters." }),
          chainId: Type.Integer({ minimum: 0, maximum: 255, description: "Second byte of every address." }),
          accountNames: Type.Record(Type.String(), Type.String(), {
            description: "Names of accounts by address, for people: at most 100, each at most 40 characters.",
          }),
        }),
      }),
    },
    handle: answerSync,
  }),
  get("/node/indexes", {
    summary: "State of the optional indexes",
    answers: {
      ok: Type.Array(
        object({
          name: Type.String(),
          state: Type.Enum(["ready", "building", "clearing", "off"], {
            description:
              "`building`: the index is being built from the stored blocks; `clearing`: its rows are being removed, " +
              "because it was disabled or must be rebuilt.",
          }),
          height: Type.Optional(Type.Integer({ description: "Height up to which it is built." })),
          of: Type.Optional(Type.Integer({ description: "Height of the chain." })),
        }),
      ),
    },
    handle: (call) =>
      call.read((chain) =>
        chain.indexes.progress().map(({ name, state, height }) => ({
          name,
          state,
          ...(state === "building" && { height, of: chain.height() }),
        })),
      ),
  }),
  get("/node/log-level", {
    onFollower: "own",
    summary: "Log levels of the node and its parts",
    access: "key:read",
    answers: { ok: LogLevelsSchema },
    handle: async ({ api }) => levelsJson(await api.control.node.logLevels()),
  }),
  put("/node/log-level", {
    onFollower: "own",
    summary: "Sets the log level of the node or of one of its parts until the node stops",
    access: "key:admin",
    request: {
      body: {
        kind: "json",
        schema: Type.Object({
          level: LogLevelSchema,
          area: Type.Optional(
            Type.Enum([...LOG_AREAS], {
              description: "Without it, the level applies to all parts, also to those that had their own.",
            }),
          ),
        }),
      },
      example: { body: { level: "info", area: "peers" } },
    },
    answers: { ok: LogLevelsSchema, failures: { 400: "The level or the area is unknown." } },
    handle: setLogLevel,
  }),
  post("/node/stop", {
    onFollower: "own",
    summary: "Stops the node after the answer is sent",
    access: "key:admin",
    answers: { ok: object({ stopped: Type.Boolean() }) },
    handle: ({ api }) =>
      new Reply({
        body: printJson({ stopped: true }),
        headers: { connection: "close" },
        onSent: () => {
          api.control.node.stop().catch((error: unknown) => {
            // The port closes when the node stops.
            if (error instanceof UnavailableError && error.reason === "closing") return;
            api.log.error("Cannot stop the node", { error: String(error) });
          });
        },
      }),
  }),
]);
