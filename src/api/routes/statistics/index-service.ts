/** Page 07 §14. */
import Type from "typebox";
import type { JsonOut } from "../../../bytes/json.ts";
import { addressText } from "../../../crypto/addresses.ts";
import { jsonReply } from "../../../http/responses/reply.ts";
import type { ChainSnapshot } from "../../../interfaces.ts";
import { type Answer, type Call, get, indexRoutesOf } from "../../route.ts";
import { AddressText, Height, object } from "../../schemas/common.ts";
import { failsWith } from "../../schemas/failures.ts";
import { nodeStatus, StatusSchema } from "../node/node.ts";

/** An index in sync may lag this many blocks behind the chain. Page 07 §14.1. */
const MAX_LAG = 1;

function indexedHeight(chain: ChainSnapshot): number {
  const enabled = chain.indexes.progress().filter(({ isEnabled }) => isEnabled);
  return Math.min(chain.height(), ...enabled.map(({ height }) => height));
}

function answerHealth(call: Call): Answer {
  return call.read((chain) => {
    const processingHeight = indexedHeight(chain);
    const sync = processingHeight >= chain.height() - MAX_LAG;
    const message = sync ? "Indexer is in sync" : "Blockchain height is higher than processing height";
    const data = { nodeResponse: nodeStatus(chain), processingHeight };
    return jsonReply(sync ? 200 : 400, { sync, message, data });
  });
}

async function answerNode(call: Call): Promise<JsonOut> {
  const account = await call.api.control.anchoring.account();
  const status = call.read(nodeStatus);
  return { status, address: account && addressText(account.address) };
}

const Health = object({
  sync: Type.Boolean(),
  message: Type.String(),
  data: object({ nodeResponse: StatusSchema, processingHeight: Height }),
});

export const indexServiceRoutes = indexRoutesOf("node", [
  get("/health", {
    summary: "Checks whether the indexes are in sync with the chain",
    answers: {
      ok: Health,
      failures: { 400: failsWith("An index is being built; the body has its progress.", Health) },
    },
    handle: answerHealth,
  }),
  get("/info", {
    summary: "Name and version of the index service",
    answers: {
      ok: object({
        name: Type.String(),
        version: Type.String(),
        description: Type.String(),
        env: Type.String(),
      }),
    },
    handle: ({ info }) => ({
      name: "indexer",
      version: info.version,
      description: `Index ${info.network.networkName} Network transactions to query information like anchors and DIDs`,
      env: "production",
    }),
  }),
  get("/node", {
    onFollower: "source",
    summary: "Height and time of the last block, and the anchoring account",
    answers: { ok: object({ status: StatusSchema, address: Type.Optional(AddressText) }) },
    handle: answerNode,
  }),
]);
