/** Holdfast only. */
import Type from "typebox";
import { stripAddressPrefix } from "../../../crypto/addresses.ts";
import type { Reply } from "../../../http/responses/reply.ts";
import { cursors } from "../../lists/cursors.ts";
import { limitParameters, NextCursorHeader, PAGE_SIZE, pageOf, pageReply } from "../../lists/pages.ts";
import { get, indexRoutesOf, type ReadCall } from "../../route.ts";
import { Count, object, Timestamp } from "../../schemas/common.ts";
import { failsInIndex } from "../../schemas/failures.ts";
import { indexError, parseCount, parseIndexCursor } from "../statistics/index-query.ts";
import { DidText, hasLongHistory } from "./identities.ts";

function answerVersions(call: ReadCall): Reply {
  const limit = parseCount(call, "limit", PAGE_SIZE);
  const after = parseIndexCursor(call, cursors.versions);
  const { now } = call.readRequest;
  const found = call.read((chain) =>
    chain.identities.versions(stripAddressPrefix(call.param("address")), now),
  );
  if (found === "invalidDid") throw indexError(found);
  if (found === "notFound") throw indexError(found, 404);
  const { id, times } = found;
  const olderTimes = times.filter((time) => after === undefined || time < after).reverse();
  const { shown, next } = pageOf(olderTimes, { limit }, cursors.versions, (time) => time);
  const json = {
    id,
    total: times.length,
    versions: shown.map((time) => ({ versionId: String(time), timestamp: time })),
  };
  return pageReply(call, json, next);
}

export const identityVersionRoutes = indexRoutesOf("identities", [
  get("/identities/:address/versions", {
    summary: "Versions of the DID document of an account, newest first",
    request: {
      params: { address: DidText },
      query: limitParameters(cursors.versions, 0),
    },
    answers: {
      ok: object({
        id: Type.String({ description: "The DID." }),
        total: Count,
        versions: Type.Array(
          object({
            versionId: Type.String({
              description: "Value for the parameter `versionId` in the strict form.",
            }),
            timestamp: Timestamp,
          }),
        ),
      }),
      headers: NextCursorHeader,
      failures: {
        400: failsInIndex("The DID or a parameter is not valid."),
        404: failsInIndex("The chain has no key of the account."),
      },
    },
    cost: {
      indexes: ["keys", "identities"],
      isExpensive: (call) => hasLongHistory(call, call.param("address")),
    },
    runsInReader: true,
    handle: answerVersions,
  }),
]);
