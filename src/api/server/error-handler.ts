import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { ApiError, failure, failures, TextError } from "../../http/errors.ts";
import type { HttpCounters } from "../../http/metrics.ts";
import { PLAIN_TEXT } from "../../http/responses/reply.ts";
import { sendFailure } from "../../http/responses/respond.ts";
import { UnavailableError, UnreachableError } from "../../runtime/rpc.ts";
import { exceededLimit } from "../refusals.ts";
import type { Api } from "../route.ts";
import type { PositionHeaders } from "./position-headers.ts";

/** Unknown errors count as failures of the node. */
export function createErrorHandler(
  api: Api,
  positions: PositionHeaders,
  { limitReached }: HttpCounters,
): (error: Error, request: FastifyRequest, reply: FastifyReply) => FastifyReply {
  return (error, request, reply) => {
    positions.setForFailure(reply, request.call);
    if (error instanceof ApiError) {
      if (error.limit !== undefined) limitReached(error.limit);
      return sendFailure(reply, error.failure);
    }
    if (error instanceof UnavailableError) {
      const limit = exceededLimit(error.reason);
      if (limit !== undefined) limitReached(limit);
      return sendFailure(reply, failures[error.reason]);
    }
    if (error instanceof UnreachableError) return sendFailure(reply, failure(503, 503, error.message));
    if (error instanceof TextError) {
      return reply.code(error.status).header("content-type", PLAIN_TEXT).send(error.message);
    }
    const status = (error as FastifyError).statusCode;
    if (status !== undefined && status >= 400 && status < 500) return sendFailure(reply, failures.badRequest);
    // A disconnect is not a fault of the node.
    if (request.raw.socket.destroyed && (error as FastifyError).code === "ERR_STREAM_PREMATURE_CLOSE")
      return sendFailure(reply, failures.unknown);
    api.log.error("Cannot answer a request", {
      route: request.routeOptions.url,
      error: error.stack ?? String(error),
    });
    return sendFailure(reply, failures.unknown);
  };
}
