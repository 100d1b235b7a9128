/** The OpenAPI 3.1 document, derived from the routes. */
import type { TSchema } from "typebox";
import type { ApiInfo } from "./info.ts";
import type { Route } from "./route.ts";
import { Failure, Nothing } from "./schemas.ts";

type Json = { readonly [name: string]: unknown };

/** The path with OpenAPI's parameters: `/blocks/at/{height}`. */
function openApiPath(path: string): string {
  return path.replace(/:(\w+)/g, "{$1}");
}

function parameters(place: "path" | "query", schemas: Readonly<Record<string, TSchema>> | undefined): Json[] {
  return Object.entries(schemas ?? {}).map(([name, schema]) => {
    const { description, ...rest } = schema as Json;
    return {
      name,
      in: place,
      required: place === "path",
      ...(description === undefined ? {} : { description }),
      schema: rest,
    };
  });
}

function failureAnswer(description: string): Json {
  return { description, content: { "application/json": { schema: Failure } } };
}

function operation(route: Route): Json {
  const { body, answer, answerType, redirects, access = "open" } = route;
  const failures = Object.entries(route.failures ?? {}).map(([status, text]) => [
    status,
    failureAnswer(text),
  ]);
  return {
    operationId: `${route.method.toLowerCase()}${route.path.replace(/[^A-Za-z0-9]+(\w?)/g, (_, next: string) => next.toUpperCase())}`,
    tags: [route.tag],
    summary: route.summary,
    ...(route.family === "index" ? { description: "Served under `/index` too." } : {}),
    parameters: [...parameters("path", route.params), ...parameters("query", route.query)],
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: { [body.kind === "json" ? "application/json" : "text/plain"]: { schema: body.schema } },
          },
        }),
    responses: {
      ...(answer === Nothing
        ? {}
        : {
            200: { description: "OK", content: { [answerType ?? "application/json"]: { schema: answer } } },
          }),
      ...(redirects === true ? { 308: { description: "What is asked for stands elsewhere." } } : {}),
      ...(access === "open" ? {} : { 403: failureAnswer("The API key is wrong or missing.") }),
      ...Object.fromEntries(failures),
    },
    ...(access === "open" ? {} : { security: [{ apiKey: [] }, { bearerAuth: [] }] }),
  };
}

/**
 * The value with the schemas that have a title standing under `components`, once each.
 * @param schemas gets them by name
 */
function withReferences(value: unknown, schemas: Record<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((one) => withReferences(one, schemas));
  if (typeof value !== "object" || value === null) return value;
  const members = Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, withReferences(one, schemas)]),
  );
  if (typeof members.title !== "string") return members;
  const name = members.title.replace(/ (\w)/g, (_, first: string) => first.toUpperCase());
  schemas[name] ??= members;
  return { $ref: `#/components/schemas/${name}` };
}

/** The document of all routes. */
export function openApiDocument(routes: readonly Route[], info: ApiInfo): Json {
  const paths: Record<string, Record<string, unknown>> = {};
  const schemas: Record<string, unknown> = {};
  for (const route of routes) {
    const path = openApiPath(route.path);
    paths[path] ??= {};
    paths[path][route.method.toLowerCase()] = withReferences(operation(route), schemas);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: `${info.network.networkName} node`,
      description:
        "Blocks, transactions, balances, anchors, identities, the trust network and the wallet of a Holdfast node. " +
        "Integers can be larger than 2^53: read them without loss.",
      version: info.version,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: info.prefix || "/" }],
    tags: [...new Set(routes.map((route) => route.tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas,
      securitySchemes: {
        apiKey: { type: "apiKey", in: "header", name: "X-API-Key" },
        bearerAuth: { type: "http", scheme: "bearer" },
      },
    },
  };
}
