/** Health of the node and its peers. Holdfast only. */
import Type from "typebox";
import type { JsonOut } from "../../../bytes/json.ts";
import { estimateHeight } from "../../../consensus/proof-of-stake.ts";
import type { AnchorQueueInfo, NodeHealth, SyncInfo } from "../../../control/index.ts";
import { checkKey, hasApiKeys } from "../../../http/access/auth.ts";
import { isOnAdminPort } from "../../../http/connections/listener.ts";
import type { ChainSnapshot } from "../../../interfaces.ts";
import { implementedFeatures } from "../../../profiles/index.ts";
import { type Call, get, routesOf } from "../../route.ts";
import { Height, object, Timestamp } from "../../schemas/common.ts";
import { lastHeader } from "../blocks/blocks.ts";
import { peerJson, peerMembers } from "./peers.ts";

/** Nodes are usually one block behind. */
const MAX_UNREPORTED_LAG = 2;
/** The newest block is late after this many mean delays. By chance, that happens once in about 9,000,000 blocks. */
const LATE_DELAY_FACTOR = 16;

type Reason = { readonly code: (typeof REASON_CODES)[number]; readonly message: string };

const REASON_CODES = ["disk", "feature", "alone", "late", "anchors", "behind", "index"] as const;
const TRANSIENT_CODES: readonly string[] = ["behind", "index"];

/** E.g. `75 minutes`, `30 hours`, `12 days`. */
function ageText(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 180) return `${minutes} minutes`;
  const hours = Math.floor(minutes / 60);
  return hours < 72 ? `${hours} hours` : `${Math.floor(hours / 24)} days`;
}

function reasonsOf(
  chain: ChainSnapshot,
  health: NodeHealth,
  sync: SyncInfo | undefined,
  anchors: AnchorQueueInfo | undefined,
  { now, delaySeconds }: { readonly now: number; readonly delaySeconds: number },
): Reason[] {
  const reasons: Reason[] = [];
  const report = (code: Reason["code"], message: string): void => void reasons.push({ code, message });
  const height = chain.height();
  if (health.diskFault) report("disk", "Disk write failed: check the disk and its free space.");
  const unknown = chain.network.approvedFeatures().filter((id) => !implementedFeatures.has(id));
  if (unknown.length > 0)
    report(
      "feature",
      `The network has approved features that this version does not support (${unknown.join(", ")}): update the node.`,
    );
  if (health.knowsPeers && (sync?.peers ?? 0) === 0) report("alone", "No peer is connected.");
  const ahead = (sync?.targetHeight ?? 0) - height;
  const isBehind = ahead > MAX_UNREPORTED_LAG;
  const age = now - Number(lastHeader(chain).timestamp);
  if (!isBehind && age > LATE_DELAY_FACTOR * delaySeconds * 1_000) {
    const isNew = height === 1;
    const text = `The newest block is ${ageText(age)} old.`;
    report("late", isNew ? "No block has been forged since the genesis block." : text);
  }
  // While the node catches up, unsent anchors are normal.
  if (anchors?.problem !== undefined && sync?.targetHeight === undefined)
    report("anchors", `${anchors.waiting} pending anchors cannot be broadcast: ${anchors.problem.text}.`);
  if (isBehind) report("behind", `Peers have a better chain, about ${ahead} blocks longer.`);
  const index = chain.indexes.progress().find(({ isEnabled, state }) => isEnabled && state !== "ready");
  if (index !== undefined)
    report("index", `The index ${index.name} is being built: block ${index.height} of ${height}.`);
  return reasons;
}

function keyRoutesOf({
  api: { info, namedKeys, clock },
  request,
}: Call): "open" | "key" | "closed" | "elsewhere" {
  if (info.hasAdminPort === true && !isOnAdminPort(request.raw)) return "elsewhere";
  if (hasApiKeys(info, namedKeys)) return "key";
  // Without keys, the scope does not matter.
  return checkKey(request, info, "read", namedKeys, clock.now()).failure === undefined ? "open" : "closed";
}

async function health(call: Call): Promise<JsonOut> {
  const { control, clock, info } = call.api;
  const [node, sync, anchors] = await Promise.all([
    control.node.health(),
    control.peers.sync(),
    control.anchoring.info(0),
  ]);
  return call.read((chain) => {
    const height = chain.height();
    const delaySeconds = info.network.genesis.averageBlockDelaySeconds;
    const reasons = reasonsOf(chain, node, sync, anchors, { now: clock.now(), delaySeconds });
    const isWrong = reasons.some(({ code }) => !TRANSIENT_CODES.includes(code));
    return {
      state: isWrong ? "wrong" : reasons.length > 0 ? "behind" : "well",
      reasons,
      height,
      timestamp: lastHeader(chain).timestamp,
      peers: sync?.peers ?? 0,
      forging: node.forging,
      version: info.version,
      keyRoutes: keyRoutesOf(call),
    };
  });
}

async function peers(call: Call): Promise<JsonOut> {
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
      direction: peer.inbound ? "in" : "out",
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

async function resources(call: Call): Promise<JsonOut> {
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
          state: Type.Enum(["well", "behind", "wrong"], {
            description:
              "`behind`: the node is catching up or building an index; `wrong`: it needs attention.",
          }),
          reasons: Type.Array(
            object({
              code: Type.Enum([...REASON_CODES]),
              message: Type.String({ description: "Explanation for operators." }),
            }),
            { description: "Most severe first; empty if the node is well." },
          ),
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
        },
        "Node Health",
      ),
    },
    handle: health,
  }),
  get("/node/peers", {
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
    handle: peers,
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
    handle: resources,
  }),
]);
