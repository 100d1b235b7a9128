/** Page 06 §7.17. */
import Type from "typebox";
import type { JsonOut } from "../../../bytes/json.ts";
import type { ChainSnapshot, FeatureInfo } from "../../../interfaces.ts";
import { featureDescription, hiddenFeatures, implementedFeatures } from "../../../profiles/index.ts";
import { cachedByState } from "../../reading/cached-by-state.ts";
import { type Call, get, routesOf } from "../../route.ts";
import { Count, Height, object } from "../../schemas/common.ts";

function nodeStatusOf(id: number, supported: readonly number[]): string {
  if (!implementedFeatures.has(id)) return "NOT_IMPLEMENTED";
  return supported.includes(id) ? "VOTED" : "IMPLEMENTED";
}

function featureJson(feature: FeatureInfo, height: number, supported: readonly number[]): JsonOut {
  const { id, approvalHeight, activationHeight, votes } = feature;
  const active = activationHeight !== undefined && activationHeight <= height;
  const approved = approvalHeight !== undefined || activationHeight !== undefined;
  const status = active ? "ACTIVATED" : approved ? "APPROVED" : "VOTING";
  return {
    id,
    description: featureDescription(id),
    blockchainStatus: status,
    nodeStatus: nodeStatusOf(id, supported),
    activationHeight,
    supportingBlocks: status === "VOTING" ? votes : undefined,
  };
}

/** Cached: counting votes reads a row for each block of the period. */
const chainFeatures = cachedByState((chain) => chain.network.features());

function listFeatures(network: object, chain: ChainSnapshot): FeatureInfo[] {
  const byId = new Map<number, FeatureInfo>([...implementedFeatures].map((id) => [id, { id, votes: 0 }]));
  for (const feature of chainFeatures(network, chain)) byId.set(feature.id, feature);
  return [...byId.values()].filter(({ id }) => !hiddenFeatures.has(id)).sort((a, b) => a.id - b.id);
}

async function answerStatus(call: Call): Promise<JsonOut> {
  const supported = await call.api.control.forging.features();
  const { network } = call.api.info;
  const { featureCheckBlocksPeriod, blocksForFeatureActivation, doubleFeaturesPeriodsAfterHeight } =
    network.functionality;
  return call.read((chain) => {
    const height = chain.height();
    const factor = height > doubleFeaturesPeriodsAfterHeight ? 2 : 1;
    const window = featureCheckBlocksPeriod * factor;
    return {
      height,
      votingInterval: window,
      votingThreshold: blocksForFeatureActivation * factor,
      nextCheck: (Math.floor((height - 1) / window) + 1) * window,
      features: listFeatures(network, chain).map((feature) => featureJson(feature, height, supported)),
    };
  });
}

export const activationRoutes = routesOf("activation", [
  get("/activation/status", {
    onFollower: "source",
    summary: "Features of the chain and the votes for them",
    answers: {
      ok: object({
        height: Height,
        votingInterval: Count,
        votingThreshold: Count,
        nextCheck: Height,
        features: Type.Array(
          object({
            id: Type.Integer(),
            description: Type.String(),
            blockchainStatus: Type.Enum(["VOTING", "APPROVED", "ACTIVATED"]),
            nodeStatus: Type.Enum(["NOT_IMPLEMENTED", "VOTED", "IMPLEMENTED"]),
            activationHeight: Type.Optional(Height),
            supportingBlocks: Type.Optional(Count),
          }),
        ),
      }),
    },
    handle: answerStatus,
  }),
]);
