/** The node itself. Page 06 §7.2. */
import Type from "typebox";
import { printJson } from "../../bytes/json.ts";
import { NodeUnavailableError } from "../http/control-port.ts";
import { Reply } from "../http/reply.ts";
import type { Route } from "../http/route.ts";
import { Height, object, Timestamp } from "../http/schemas.ts";
import { found } from "./blocks.ts";

/** ISO 8601 in UTC, milliseconds left out when they are zero. Page 06 §7.2. */
export function isoDate(ms: number): string {
  return new Date(ms).toISOString().replace(".000Z", "Z");
}

export const nodeRoutes = [
  {
    method: "GET",
    path: "/node/version",
    tag: "node",
    summary: "Name and version of this software",
    answer: object({ version: Type.String() }),
    handle: (call) => ({ version: `Holdfast v${call.api.info.version}` }),
  },
  {
    method: "GET",
    path: "/node/status",
    tag: "node",
    summary: "Height and time of the last block",
    answer: object({
      blockchainHeight: Height,
      stateHeight: Height,
      updatedTimestamp: Timestamp,
      updatedDate: Type.String(),
    }),
    handle: (call) =>
      call.read((chain) => {
        const height = chain.height();
        const { timestamp } = found(chain.header(height));
        return {
          blockchainHeight: height,
          stateHeight: height,
          updatedTimestamp: timestamp,
          updatedDate: isoDate(Number(timestamp)),
        };
      }),
  },
  {
    method: "POST",
    path: "/node/stop",
    tag: "node",
    summary: "Ends the node, once the answer is sent",
    access: "key",
    answer: object({ stopped: Type.Boolean() }),
    handle: ({ api }) =>
      new Reply({
        body: printJson({ stopped: true }),
        headers: { connection: "close" },
        sent: () => {
          api.control.stop().catch((error: unknown) => {
            // The way to the node ends with the node.
            if (error instanceof NodeUnavailableError && error.reason === "closing") return;
            api.log.error("the node could not be stopped", { error: String(error) });
          });
        },
      }),
  },
] as const satisfies readonly Route[];
