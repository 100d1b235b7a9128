import { isDeepStrictEqual } from "node:util";
import type { TSchema } from "typebox";
import type { ApiInfo } from "../info.ts";
import { methodsOf, type Route, scopeOf } from "../route.ts";
import { schemaReference } from "../schemas/common.ts";
import { answersOf, type RouteAnswer, sharedAnswers } from "./answers.ts";
import { type Examples, examplesOf, type RouteExamples } from "./examples.ts";

type Json = { readonly [name: string]: unknown };

/** For example `/blocks/at/{height}` for `/blocks/at/:height`. */
export function openApiPath(path: string): string {
  return path.replace(/:(\w+)/g, "{$1}");
}

function describeParameters(route: Route, location: "path" | "query", examples: RouteExamples): Json[] {
  const schemas: Readonly<Record<string, TSchema>> =
    (location === "path" ? route.request?.params : route.request?.query) ?? {};
  const required = location === "path" ? Object.keys(schemas) : (route.request?.required ?? []);
  return Object.entries(schemas).map(([name, schema]) => {
    const { description, ...schemaOnly } = schema as Json;
    const example = examples[location][name];
    return {
      name,
      in: location,
      required: required.includes(name),
      description,
      schema: schemaOnly,
      example,
    };
  });
}

function anyOf(schemas: readonly TSchema[]): unknown {
  const distinct = [...new Set(schemas)];
  return distinct.length === 1 ? distinct[0] : { anyOf: distinct };
}

function mediaTypeOf(example: unknown, types: readonly string[]): string | undefined {
  const isText = typeof example === "string";
  return types.find((type) => (type === "text/plain") === isText) ?? types[0];
}

function answerJson(answer: RouteAnswer, example: unknown): Json {
  if ("shared" in answer) return { $ref: `#/components/responses/${answer.shared}` };
  const { description, content, headers } = answer;
  const exampleType = mediaTypeOf(example, Object.keys(content));
  const media = Object.entries(content).map(([type, schemas]) => {
    return [type, { schema: anyOf(schemas), example: type === exampleType ? example : undefined }];
  });
  return { description: description.trim(), headers, content: Object.fromEntries(media) };
}

/** Lists alternatives; an empty object means that no key is needed. */
function describeSecurity(route: Route, info: ApiInfo): Json {
  if (route.access === "token") {
    const open = info.authToken ? [] : [{}];
    return { security: [...open, { indexToken: [] }, { indexTokenInQuery: [] }] };
  }
  const scope = scopeOf(route);
  if (scope === undefined) return {};
  // In OpenAPI 3.1 the list may contain role names, here the key's scope.
  return { security: [...(info.hasOpenKeyRoutes ? [{}] : []), { apiKey: [scope] }, { bearerAuth: [scope] }] };
}

function describeMethod(route: Route, method: string): Json {
  if (method !== route.method)
    return { deprecated: true, description: `Same as ${route.method}; use that method.` };
  return route.family === "index" ? { description: "Also served under `/index`." } : {};
}

function describeOperation(route: Route, method: string, info: ApiInfo, examples: RouteExamples): Json {
  const body = route.request?.body;
  return {
    operationId: `${method.toLowerCase()}${route.path.replace(/[^A-Za-z0-9]+(\w?)/g, (_, next: string) => next.toUpperCase())}`,
    tags: [route.tag],
    summary: route.summary,
    ...describeMethod(route, method),
    parameters: [
      ...describeParameters(route, "path", examples),
      ...describeParameters(route, "query", examples),
    ],
    requestBody: body && {
      // An empty body is a valid text.
      required: body.kind === "json",
      content: {
        [body.kind === "json" ? "application/json" : "text/plain"]: {
          schema: body.schema,
          example: examples.body,
        },
      },
    },
    responses: Object.fromEntries(
      [...answersOf(route)].map(([status, answer]) => [status, answerJson(answer, examples.answers[status])]),
    ),
    ...describeSecurity(route, info),
  };
}

/**
 * Moves schemas with a title to `components`.
 * @throws Error if two different schemas have the same title
 */
function withReferences(value: unknown, schemas: Record<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((one) => withReferences(one, schemas));
  if (typeof value !== "object" || value === null) return value;
  const { title } = value as { readonly title?: unknown };
  const members = Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== "title" || typeof title !== "string")
      // An example is not a schema.
      .map(([name, one]) => [name, name === "example" ? one : withReferences(one, schemas)]),
  );
  if (typeof title !== "string") return members;
  const reference = schemaReference(title);
  const name = reference.slice(reference.lastIndexOf("/") + 1);
  schemas[name] ??= members;
  if (!isDeepStrictEqual(schemas[name], members))
    throw new Error(`Two different schemas have the name ${name}`);
  return { $ref: reference };
}

const API_KEY =
  "The node's API key, or a named key with the scope that the operation lists: `read` (private data of the node), " +
  "`wallet` (sign, and change the accounts) or `admin` (control the node).";

/** @param now ms since 1970; the examples work at this time */
export function openApiDocument(
  routes: readonly Route[],
  info: ApiInfo,
  examples: Examples,
  now: number,
): Json {
  const paths: Record<string, Record<string, unknown>> = {};
  const schemas: Record<string, unknown> = {};
  for (const route of routes) {
    const path = openApiPath(route.path);
    paths[path] ??= {};
    const routeExamples = examplesOf(route, examples, now);
    for (const method of methodsOf(route))
      paths[path][method.toLowerCase()] = withReferences(
        describeOperation(route, method, info, routeExamples),
        schemas,
      );
  }
  const responses = Object.fromEntries(
    Object.entries(sharedAnswers).map(([name, { status: _, example, ...answer }]) => [
      name,
      withReferences(answerJson(answer, example), schemas),
    ]),
  );
  return {
    openapi: "3.1.0",
    info: {
      title: `${info.network.networkName} node`,
      description:
        "Blocks, transactions, balances, anchors, identities, the trust network and the wallet of a " +
        "Holdfast node. Integers can exceed 2^53: parse them without loss. Every operation waits for a position of the " +
        "chain if the request has the header `X-Chain-At-Least` or the query parameter `atLeast`. Examples are from the " +
        "network `dev`.",
      version: info.version,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    // Relative to the document's URL.
    servers: [{ url: "..", description: "This node" }],
    tags: [...new Set(routes.map((route) => route.tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1))),
      responses,
      securitySchemes: {
        apiKey: { type: "apiKey", in: "header", name: "X-API-Key", description: API_KEY },
        bearerAuth: { type: "http", scheme: "bearer", description: API_KEY },
        indexToken: { type: "http", scheme: "bearer", description: "Authorization token of the index." },
        indexTokenInQuery: { type: "apiKey", in: "query", name: "access_token" },
      },
    },
  };
}
