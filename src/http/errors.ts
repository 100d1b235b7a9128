import type { JsonOut } from "../bytes/json.ts";
import type { RequestLimit } from "./metrics.ts";

/** Page 06 §4. */
export interface ApiFailure {
  readonly status: number;
  readonly body: { readonly [member: string]: JsonOut | undefined };
}

export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly failure: ApiFailure;
  /** The exceeded limit, for metrics. */
  readonly limit: RequestLimit | undefined;

  constructor(failure: ApiFailure, limit?: RequestLimit | undefined) {
    super(String(failure.body.message ?? failure.body.error ?? failure.body.details ?? failure.status));
    this.failure = failure;
    this.limit = limit;
  }
}

/** An error sent as plain text. Page 06 §4.2, page 07 §3.2. */
export class TextError extends Error {
  override readonly name = "TextError";
  readonly status: number;

  constructor(status: number, text: string) {
    super(text);
    this.status = status;
  }
}

/** The body is `{"error": id, "message": text, …more}`. */
export function failure(
  status: number,
  error: number,
  message: string | null,
  more: { readonly [member: string]: JsonOut } = {},
): ApiFailure {
  return { status, body: { error, message, ...more } as ApiFailure["body"] };
}

/** The error id is the status. Page 00, part B, 7. */
function httpFailure(status: number, message: string): ApiFailure {
  return failure(status, status, message);
}

/** Errors of the protocol (page 06 §4.1), then of this node. */
export const failures = {
  unknown: failure(500, 0, "Error is unknown"),
  apiKeyNotValid: failure(403, 2, "Provided API key is not correct"),
  tooBigArray: failure(400, 10, "Too big sequences requested"),
  invalidSignature: failure(400, 101, "invalid signature"),
  invalidAddress: failure(400, 102, "invalid address"),
  invalidPublicKey: failure(400, 108, "invalid public key"),
  invalidMessage: failure(400, 110, "invalid message"),
  missingSenderPrivateKey: failure(400, 115, "no private key for sender address in wallet"),
  accountBasedWallet: failure(400, 116, "The wallet is account-based, can't add/remove any accounts"),
  invalidFeeVote: failure(
    400,
    117,
    "Invalid fee vote status, should be 'decrease', 'maintain' or 'increase'",
  ),
  blockDoesNotExist: failure(404, 301, "block does not exist"),
  dataKeyDoesNotExist: failure(404, 304, "no data for this key"),

  badRequest: httpFailure(400, "malformed request"),
  foreignHost: httpFailure(403, "host is not a loopback name"),
  foreignOrigin: httpFailure(403, "origin is another host"),
  viaProxy: httpFailure(403, "request came through a proxy"),
  notFound: httpFailure(404, "not found"),
  methodNotAllowed: httpFailure(405, "method not allowed"),
  timeout: httpFailure(408, "request timeout"),
  bodyTooLarge: httpFailure(413, "body too large"),
  uriTooLong: httpFailure(414, "URI too long"),
  contentEncoding: httpFailure(415, "unsupported content encoding"),
  tooManyRequests: httpFailure(429, "too many requests"),
  fileInProgress: httpFailure(429, "another file is being sent to this client: wait until it is complete"),
  headersTooLarge: httpFailure(431, "headers too large"),
  unknownMethod: httpFailure(501, "unsupported method"),
  busy: httpFailure(503, "node is busy"),
  answerTooSlow: httpFailure(503, "answer takes too long"),
  late: httpFailure(503, "node did not answer in time"),
  closing: httpFailure(503, "node is stopping"),
  diskFault: httpFailure(503, "node cannot write to its disk"),
  anchorsFull: httpFailure(503, "anchor queue is full"),
} as const;

export function missingScope(scope: string): ApiFailure {
  return httpFailure(403, `the API key does not have the scope ${scope}`);
}

/** @param name printable ASCII */
export function expiredKey(name: string): ApiFailure {
  return httpFailure(403, `the API key ${name} has expired`);
}

export function apiError(name: keyof typeof failures, limit?: RequestLimit): ApiError {
  return new ApiError(failures[name], limit);
}

export interface JsonProblem {
  readonly msg: readonly string[];
  readonly args: readonly JsonOut[];
}

/**
 * Page 06 §4.4.
 * @param cause why the body is not JSON
 * @param problems invalid members by path
 */
export function invalidJson(
  cause: string | null,
  problems: ReadonlyMap<string, readonly JsonProblem[]> = new Map(),
): ApiFailure {
  const validationErrors = new Map<string, JsonOut>();
  for (const [path, list] of problems) {
    validationErrors.set(
      path,
      list.map(({ msg, args }) => ({ msg, args })),
    );
  }
  return failure(400, 1, "failed to parse json message", { cause, validationErrors });
}
