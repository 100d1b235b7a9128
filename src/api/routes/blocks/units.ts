import Type from "typebox";
import { ApiError, apiError, failure } from "../../../http/errors.ts";
import { Reply } from "../../../http/responses/reply.ts";
import { MAX_PERSIST_UNITS } from "../../../queries/units.ts";
import { parseCursor, parsePersistUnits } from "../../chain-position.ts";
import { GENESIS_ID } from "../../openapi/dev-examples.ts";
import { type Answer, type Call, get, routesOf } from "../../route.ts";
import { UNIT_STREAM } from "../../schemas/common.ts";

function openStream(call: Call): Answer {
  const { unitStreams } = call.api;
  const after = parseCursor(call.query("after") ?? "");
  if (after === undefined)
    throw new ApiError(
      failure(
        400,
        400,
        "after: must be a position on the chain (height.sequence.id), or 0 for the whole chain",
      ),
    );
  const persistedText = call.query("persisted");
  const persists = persistedText === undefined ? undefined : parsePersistUnits(persistedText);
  if (persistedText !== undefined && persists === undefined)
    throw new ApiError(
      failure(
        400,
        400,
        `persisted: must be 1 to ${MAX_PERSIST_UNITS + 1} ascending heights, separated by dots`,
      ),
    );
  if (!unitStreams.isAvailable) throw apiError("notFound");
  const first = unitStreams.begin({ ...after, persists });
  if (first === undefined)
    throw new ApiError(
      failure(409, 409, "after: this position is not on the node's chain, nor among its reverted units"),
    );
  return new Reply({
    type: UNIT_STREAM,
    headers: { "cache-control": "no-store", "x-accel-buffering": "no" },
    body: unitStreams.open(first, call.api.senderOf(call.request)),
  });
}

export const unitRoutes = routesOf("units", [
  get("/units", {
    onFollower: "own",
    access: "key:read",
    summary: "Blocks and micro blocks in protocol bytes, for nodes that follow this one (a binary stream)",
    request: {
      query: {
        after: Type.String({
          description:
            "Position after which the stream begins: height, sequence and id of a unit, separated by dots; `0` for the " +
            "whole chain.",
        }),
        persisted: Type.Optional(
          Type.String({
            description:
              "The follower's persist units: the lowest height that the list covers, and the heights of the blocks " +
              "that were persisted by a persist unit, ascending, separated by dots.",
          }),
        ),
      },
      required: ["after"],
      example: { query: { after: `1.0.${GENESIS_ID}`, persisted: "1" } },
    },
    answers: {
      ok: Type.String({
        format: "binary",
        description: "Frames: a length (u32, big-endian), then as many bytes. docs/api.md describes them.",
      }),
      type: UNIT_STREAM,
      failures: {
        400: "The position is not valid.",
        409: "The position is neither on the node's chain nor among its reverted units: ask for an older position.",
        503: "There are too many streams of units.",
      },
    },
    handle: openStream,
  }),
]);
