/** Holdfast only. */
import Type from "typebox";
import { printJson } from "../../../bytes/json.ts";
import type { FollowingHealth } from "../../../control/index.ts";
import { Reply } from "../../../http/responses/reply.ts";
import { type Call, get, routesOf } from "../../route.ts";
import { object } from "../../schemas/common.ts";
import { failsWith } from "../../schemas/failures.ts";
import { type Reason, Reasons, reason, reasonsOf, STOPPING } from "./health-reasons.ts";

/** Silence of the node's thread before a restart is necessary, ms. */
const MAX_SILENCE_MS = 30_000;

function unresponsiveReason(silentMs: number): Reason {
  const seconds = (silentMs / 1_000).toFixed(1);
  return reason("unresponsive", `The node's main thread has not answered for ${seconds} s.`);
}

function followingJson({ source, lagUnits, lagMs, digestFaults, nodes }: FollowingHealth) {
  return {
    source: source ?? null,
    lagUnits: lagUnits ?? null,
    lagSeconds: lagMs === undefined ? null : Math.floor(lagMs / 1_000),
    digestFaults,
    ...(nodes && {
      nodes: nodes.map(({ name, isHealthy, height, problem }) => ({
        name,
        ok: isHealthy,
        height: height ?? null,
        problem: problem ?? null,
      })),
    }),
  };
}

function probeReply(ok: boolean, reasons: readonly Reason[], following?: FollowingHealth): Reply {
  return new Reply({
    status: ok ? 200 : 503,
    headers: { "cache-control": "no-store" },
    body: printJson({
      ok,
      reasons: reasons.map(({ code, message }) => ({ code, message })),
      ...(following && { following: followingJson(following) }),
    }),
    cacheable: false,
  });
}

async function answerLive({ api: { healthCheck } }: Call): Promise<Reply> {
  const result = await healthCheck.run();
  switch (result.kind) {
    case "answered":
      return result.health.isStopping ? probeReply(false, [STOPPING]) : probeReply(true, []);
    case "closing":
      return probeReply(false, [STOPPING]);
    case "silent":
      return probeReply(result.silentMs < MAX_SILENCE_MS, [unresponsiveReason(result.silentMs)]);
  }
}

async function answerReady(call: Call): Promise<Reply> {
  const { healthCheck, clock, info } = call.api;
  const result = await healthCheck.run();
  if (result.kind === "closing") return probeReply(false, [STOPPING]);
  if (result.kind === "silent") return probeReply(false, [unresponsiveReason(result.silentMs)]);
  const delaySeconds = info.network.genesis.averageBlockDelaySeconds;
  const reasons = call.read((chain) => reasonsOf(chain, result.health, { now: clock.now(), delaySeconds }));
  return probeReply(!reasons.some(({ isBlocking }) => isBlocking), reasons, result.health.following);
}

const Probe = object({ ok: Type.Boolean(), reasons: Reasons }, "Health Probe");
const Following = object({
  source: Type.Union([Type.String(), Type.Null()], { description: "Address of the connected source." }),
  lagUnits: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
    description: "Minimum number of units that the node lacks.",
  }),
  lagSeconds: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
    description: "Time since the node had its source's newest unit.",
  }),
  digestFaults: Type.Integer({
    minimum: 0,
    description: "Number of units whose digest differed from the source's.",
  }),
  nodes: Type.Optional(
    Type.Array(
      object({
        name: Type.String({ description: "Address of the node's control port." }),
        ok: Type.Boolean(),
        height: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]),
        problem: Type.Union([Type.String(), Type.Null()]),
      }),
      { description: "Nodes that a gateway asks for pool and peers." },
    ),
  ),
});
const Readiness = object(
  { ok: Type.Boolean(), reasons: Reasons, following: Type.Optional(Following) },
  "Readiness Probe",
);

export const healthProbeRoutes = routesOf("node", [
  get("/health/live", {
    alsoMethods: ["HEAD"],
    summary: "Probe: status 503 if the node needs a restart or is stopping",
    answers: {
      ok: Probe,
      failures: { 503: failsWith("The node does not respond, or is stopping.", Probe) },
    },
    handle: answerLive,
  }),
  get("/health/ready", {
    alsoMethods: ["HEAD"],
    summary: "Probe: status 503 if clients should use another node",
    answers: {
      ok: Readiness,
      failures: { 503: failsWith("The node should not get requests, for the given reasons.", Readiness) },
    },
    handle: answerReady,
  }),
]);
