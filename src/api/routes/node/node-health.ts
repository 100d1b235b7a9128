/** Holdfast only. */
import Type from "typebox";
import type { JsonOut } from "../../../bytes/json.ts";
import { estimateHeight } from "../../../consensus/proof-of-stake.ts";
import { checkKey, hasApiKeys } from "../../../http/access/auth.ts";
import { isOnAdminPort } from "../../../http/connections/listener.ts";
import { type Call, get, routesOf } from "../../route.ts";
import { Height, object, Timestamp } from "../../schemas/common.ts";
import { lastHeader } from "../blocks/blocks.ts";
import { isTransient, Reasons, reasonsOf } from "./health-reasons.ts";
import { peerJson, peerMembers } from "./peers.ts";
import { uncheckedJson, uncheckedMembers } from "./unchecked.ts";

const STATUSES = { well: "ok", behind: "syncing", wrong: "unhealthy" } as const;

function keyRouteAccess({
  api: { info, namedKeys, clock },
  request,
}: Call): "open" | "key" | "closed" | "elsewhere" {
  if (info.hasAdminPort === true && !isOnAdminPort(request.raw)) return "elsewhere";
  if (hasApiKeys(info, namedKeys)) return "key";
  // Without configured keys, the scope does not matter.
  return checkKey(request, info, "read", namedKeys, clock.now()).failure === undefined ? "open" : "closed";
}

async function answerHealth(call: Call): Promise<JsonOut> {
  const { control, clock, info } = call.api;
  const node = await control.node.health();
  return call.read((chain) => {
    const height = chain.height();
    const delaySeconds = info.network.genesis.averageBlockDelaySeconds;
    const reasons = reasonsOf(chain, node, { now: clock.now(), delaySeconds });
    const state = reasons.length === 0 ? "well" : reasons.every(isTransient) ? "behind" : "wrong";
    return {
      status: STATUSES[state],
      state,
      reasons: reasons.map(({ code, message }) => ({ code, message })),
      height,
      timestamp: lastHeader(chain).timestamp,
      peers: node.sync?.peers ?? 0,
      forging: node.forging,
      version: info.version,
      keyRoutes: keyRouteAccess(call),
      ...uncheckedJson(chain.blocks.unchecked()),
    };
  });
}

async function answerPeers(call: Call): Promise<JsonOut> {
  const connected = await call.api.control.peers.connected();
  const local = call.read((chain) => ({
    height: chain.height(),
    score: chain.blocks.score(),
    baseTarget: lastHeader(chain).baseTarget,
  }));
  return {
    height: local.height,
    score: String(local.score),
    peers: connected.map((peer) => ({
      ...peerJson(peer),
      direction: peer.isInbound ? "in" : "out",
      connectedMs: Math.floor(peer.connectedMs),
      receivedBytes: peer.received,
      sentBytes: peer.sent,
      ...(peer.score !== undefined && {
        score: String(peer.score),
        scoreDifference: String(peer.score - local.score),
        height: estimateHeight(peer.score, local),
      }),
    })),
  };
}

async function answerResources(call: Call): Promise<JsonOut> {
  const { control } = call.api;
  const [{ startedAt }, { memory, store, diskFree, diskTotal }] = await Promise.all([
    control.node.health(),
    control.node.resources(),
  ]);
  return {
    startedAt: Math.floor(startedAt),
    memoryBytes: memory ?? null,
    storeBytes: store ?? null,
    diskFreeBytes: diskFree ?? null,
    diskBytes: diskTotal ?? null,
  };
}

const Bytes = Type.Integer({ minimum: 0 });
const MaybeBytes = Type.Union([Bytes, Type.Null()]);
const Score = Type.String({ description: "Whole number that may exceed 64 bits." });

export const nodeHealthRoutes = routesOf("node", [
  get("/node/health", {
    summary: "Health of the node, with reasons",
    answers: {
      ok: object(
        {
          status: Type.Enum(Object.values(STATUSES), {
            description: "`ok`, `syncing` and `unhealthy` stand for the states `well`, `behind` and `wrong`.",
          }),
          state: Type.Enum(["well", "behind", "wrong"], {
            description:
              "`behind`: the node is catching up or building an index; `wrong`: it needs attention.",
          }),
          reasons: Reasons,
          height: Height,
          timestamp: Timestamp,
          peers: Type.Integer({ minimum: 0 }),
          forging: Type.Enum(["on", "waiting", "off"], {
            description: "`waiting`: the node should forge but cannot; `/debug/info` has the reason.",
          }),
          version: Type.String(),
          keyRoutes: Type.Enum(["open", "key", "closed", "elsewhere"], {
            description:
              "`open`: the caller needs no key for key routes; `key`: it needs the API key; `closed`: no key is " +
              "configured; `elsewhere`: key routes are on another port.",
          }),
          ...uncheckedMembers,
        },
        "Node Health",
      ),
    },
    handle: answerHealth,
  }),
  get("/node/peers", {
    onFollower: "source",
    tag: "peers",
    summary: "Connected peers with scores and traffic",
    answers: {
      ok: object({
        height: Height,
        score: Score,
        peers: Type.Array(
          object({
            ...peerMembers,
            direction: Type.Enum(["in", "out"], { description: "`out`: this node opened the connection." }),
            connectedMs: Type.Integer({ minimum: 0, description: "Duration of the connection, ms." }),
            receivedBytes: Bytes,
            sentBytes: Bytes,
            score: Type.Optional(Score),
            scoreDifference: Type.Optional(
              Type.String({ description: "The peer's score minus this node's score." }),
            ),
            height: Type.Optional(
              Type.Integer({
                minimum: 0,
                description: "Approximate height of the peer, estimated from its score.",
              }),
            ),
          }),
        ),
      }),
    },
    handle: answerPeers,
  }),
  get("/node/resources", {
    summary: "Memory and disk usage, and start time of the node",
    access: "key:read",
    answers: {
      ok: object({
        startedAt: Timestamp,
        memoryBytes: MaybeBytes,
        storeBytes: MaybeBytes,
        diskFreeBytes: MaybeBytes,
        diskBytes: MaybeBytes,
      }),
    },
    handle: answerResources,
  }),
]);
