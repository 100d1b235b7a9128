import Type, { type TSchema } from "typebox";
import { type ApiFailure, failures, invalidJson } from "../../http/errors.ts";
import { type HeaderDescription, hasEntityTag, isKeyRoute, type Route } from "../route.ts";
import { EVENT_STREAM, Nothing } from "../schemas/common.ts";
import {
  ErrorSchema,
  fails,
  failsEither,
  failsWith,
  INDEX_NOT_READY,
  InvalidJsonSchema,
  type ResponseDescription,
} from "../schemas/failures.ts";

interface SharedAnswer extends ResponseDescription {
  readonly status: number;
  readonly example: ApiFailure["body"];
  readonly headers?: Readonly<Record<string, HeaderDescription>> | undefined;
}

const RETRY_AFTER: HeaderDescription = {
  description: "Seconds to wait before the next attempt.",
  required: true,
  schema: Type.Integer({ minimum: 1 }),
};

const ENTITY_TAG: HeaderDescription = {
  description: "Tag to send back as `If-None-Match`. Answers above 1 MiB have no tag.",
  schema: Type.String(),
};

const POSITION: HeaderDescription = {
  description:
    "Position of the chain that the answer shows: `height.sequence.id` of its newest unit. Answers that caches may keep " +
    "as `immutable` have none.",
  schema: Type.String(),
};

const NOT_MODIFIED: ResponseDescription = { description: "The client's copy is current.", content: {} };

function sharedAnswer(
  failure: ApiFailure,
  text: string,
  headers?: Readonly<Record<string, HeaderDescription>>,
): SharedAnswer {
  const { status, body } = failure;
  return { status, example: body, ...fails(text), headers };
}

const answersOfAllRoutes: Readonly<Record<string, SharedAnswer>> = {
  MalformedRequest: sharedAnswer(failures.badRequest, "The request is not valid HTTP."),
  NotFound: sharedAnswer(
    failures.notFound,
    "A path parameter is invalid (empty, or not decimal digits where a number is required), or the " +
      "request does not accept this media type.",
  ),
  MethodNotAllowed: sharedAnswer(failures.methodNotAllowed, "The path does not support this method.", {
    Allow: { description: "Methods of the path.", required: true, schema: Type.String() },
  }),
  RequestTimeout: sharedAnswer(failures.timeout, "The request took too long to arrive."),
  UriTooLong: sharedAnswer(failures.uriTooLong, "The request target exceeds 2048 characters."),
  TooManyRequests: sharedAnswer(failures.tooManyRequests, "The address has sent too many requests.", {
    "Retry-After": RETRY_AFTER,
  }),
  HeadersTooLarge: sharedAnswer(failures.headersTooLarge, "The headers are too large."),
  NodeFault: sharedAnswer(failures.unknown, "The node failed."),
  Unavailable: sharedAnswer(failures.busy, "The node is busy, stopping, or cannot write to its disk.", {
    "Retry-After": RETRY_AFTER,
  }),
};

const answersToBodies: Readonly<Record<string, SharedAnswer>> = {
  BodyTooLarge: sharedAnswer(failures.bodyTooLarge, "The body exceeds 1 MiB."),
  UnsupportedEncoding: sharedAnswer(
    failures.contentEncoding,
    "Content encodings of bodies are not supported.",
  ),
};

/** Routes with a JSON body send these instead of `MalformedRequest`. */
const answersToJsonBodies: Readonly<Record<string, SharedAnswer>> = {
  InvalidBody: {
    status: 400,
    example: invalidJson("JsonError: unexpected end of text at position 1").body,
    ...failsWith(
      "The body is not valid JSON, some of its members are invalid, or the request is not valid HTTP.",
      InvalidJsonSchema,
      ErrorSchema,
    ),
  },
};

const answersOfKeyRoutes: Readonly<Record<string, SharedAnswer>> = {
  Forbidden: sharedAnswer(
    failures.apiKeyNotValid,
    "The API key is wrong, expired or missing, or lacks the scope; or no key is configured and the request comes from another " +
      "machine or web page.",
  ),
};

export const sharedAnswers: Readonly<Record<string, SharedAnswer>> = {
  ...answersOfAllRoutes,
  ...answersToBodies,
  ...answersToJsonBodies,
  ...answersOfKeyRoutes,
};

export type RouteAnswer =
  | { readonly shared: string }
  | (ResponseDescription & { readonly headers?: Readonly<Record<string, HeaderDescription>> | undefined });

function describeFailure(
  route: Route,
  status: number,
  failure: ResponseDescription | string,
): ResponseDescription {
  const description = typeof failure === "string" ? fails(failure) : failure;
  if (status !== 400 || route.request?.body?.kind !== "json") return description;
  return failsEither(description, { description: "", content: { "application/json": [InvalidJsonSchema] } });
}

/** The extension `x-event-data` has the schema of the events' data. */
function streamSchema(data: TSchema): TSchema {
  return Type.Unsafe<string>({ type: "string", "x-event-data": data });
}

/** Returns answers in ascending order of status. */
export function answersOf(route: Route): ReadonlyMap<number, RouteAnswer> {
  const answers = new Map<number, RouteAnswer>();
  if (route.answers.ok !== Nothing) {
    const { type = "application/json", ok, forms } = route.answers;
    const headers = {
      ...route.answers.headers,
      ...(hasEntityTag(route) && { ETag: ENTITY_TAG }),
      "X-Chain": POSITION,
    };
    const content = forms ?? { [type]: type === EVENT_STREAM ? streamSchema(ok) : ok };
    answers.set(200, {
      description: "OK",
      content: Object.fromEntries(Object.entries(content).map(([type, schema]) => [type, [schema]])),
      headers,
    });
  }
  if (hasEntityTag(route)) answers.set(304, NOT_MODIFIED);
  if (route.answers.redirects === true) {
    answers.set(308, {
      description: "The resource is at another location.",
      content: { "text/html": [Type.String()] },
      headers: { Location: { description: "The location.", required: true, schema: Type.String() } },
    });
  }
  const body = route.request?.body;
  const sharedByName = {
    ...answersOfAllRoutes,
    ...(body && answersToBodies),
    ...(body?.kind === "json" && answersToJsonBodies),
    ...(isKeyRoute(route) && answersOfKeyRoutes),
  };
  for (const [name, { status }] of Object.entries(sharedByName)) answers.set(status, { shared: name });
  const failures = { ...route.answers.failures, ...(route.cost?.indexes && INDEX_NOT_READY) };
  for (const [text, failure] of Object.entries(failures)) {
    const status = Number(text);
    const described = describeFailure(route, status, failure);
    // If a shared answer has this status, the common error body is possible too.
    const shared = Object.values(sharedByName).find((answer) => answer.status === status);
    const isEither = shared !== undefined && !described.content["application/json"]?.includes(ErrorSchema);
    const answer = isEither ? failsEither(described, fails("")) : described;
    answers.set(status, { ...answer, headers: shared?.headers });
  }
  return new Map([...answers].sort(([a], [b]) => a - b));
}
