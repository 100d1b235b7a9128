/** Validates answers against the OpenAPI document. */
import { Compile, type Validator } from "typebox/schema";
import type { ApiInfo } from "../../api/info.ts";
import { openApiDocument, openApiPath } from "../../api/openapi/document.ts";
import type { Route } from "../../api/route.ts";
import { routes } from "../../api/routes/all.ts";
import { parseJson } from "../../bytes/json.ts";
import { dev } from "../../profiles/index.ts";
import { decode, type Shape } from "../decode.ts";
import { decodedSchema, shapeOf } from "./shape-of.ts";

/** A response in an OpenAPI document: the members that this file uses. */
interface DescribedResponse {
  readonly description: string;
  readonly content: Readonly<Record<string, { readonly schema: object }>>;
}
type Reference = { readonly $ref: string };
interface Document {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          { readonly responses: Readonly<Record<string, DescribedResponse | Reference>> } | undefined
        >
      >
    >
  >;
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>;
    readonly responses: Readonly<Record<string, DescribedResponse>>;
  };
}

const info: ApiInfo = {
  network: dev,
  version: "0.0.0",
  hasOpenKeyRoutes: false,
  maxBodyBytes: 0,
  cors: false,
  apiKeyDifferentHost: false,
  didResponse: "document",
  configuration: {},
};

// Safe cast: this is the JSON that clients receive, which has the form of `Document`.
const document = JSON.parse(JSON.stringify(openApiDocument(routes, info, {}, 0))) as Document;

function schemaNamed(reference: string): object {
  return document.components.schemas[reference.slice(reference.lastIndexOf("/") + 1)] as object;
}

function resolveReferences(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(resolveReferences);
  if (typeof schema !== "object" || schema === null) return schema;
  if ("$ref" in schema) return resolveReferences(schemaNamed(String(schema.$ref)));
  return Object.fromEntries(
    Object.entries(schema).map(([name, member]) => [name, resolveReferences(member)]),
  );
}

interface Checker {
  readonly shape: Shape;
  readonly validator: Validator;
}

/** Checkers by schema, compiled at the first use. Routes share equal schemas. */
const checkers = new Map<object, Checker>();

function checkerOf(schema: object): Checker {
  let checker = checkers.get(schema);
  if (checker === undefined) {
    // Safe casts: both functions return a JSON schema for a JSON schema.
    const full = resolveReferences(schema) as object;
    checker = { shape: shapeOf(full), validator: Compile(decodedSchema(full) as object) };
    checkers.set(schema, checker);
  }
  return checker;
}

function describedOf(route: Route | undefined, status: number): DescribedResponse | undefined {
  if (route === undefined) {
    // Without a route, the only described answer is 404.
    return status < 400 ? undefined : document.components.responses.NotFound;
  }
  const operation = document.paths[openApiPath(route.path)]?.[route.method.toLowerCase()];
  const answer = operation?.responses[String(status)];
  if (answer === undefined || !("$ref" in answer)) return answer;
  return document.components.responses[answer.$ref.slice(answer.$ref.lastIndexOf("/") + 1)];
}

/** Returns true for media types of JSON without parameters, including those of DIDs. */
export function isJson(type: string): boolean {
  return type.endsWith("json") || type.startsWith("application/did");
}

export interface SeenAnswer {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly body: string;
}

/**
 * Compares an answer with its description. Returns the difference as text, or undefined.
 * @param route undefined if no route matches
 */
export function answerFault(
  route: Route | undefined,
  { status, contentType, body }: SeenAnswer,
): string | undefined {
  const described = describedOf(route, status);
  if (described === undefined) return route === undefined ? "no route" : `it answers with ${status}`;
  if (Object.keys(described.content).length === 0)
    return body === "" ? undefined : "a body where none is described";
  const type = (contentType ?? "").split(";", 1)[0].trim();
  const media = described.content[type];
  if (media === undefined) return `${contentType} instead of ${Object.keys(described.content).join(", ")}`;
  const { shape, validator } = checkerOf(media.schema);
  const value = isJson(type) ? decode(parseJson(body, { maxDepth: 1_000 }), shape) : body;
  if (validator.Check(value)) return undefined;
  const [, errors] = validator.Errors(value);
  return errors.map(({ instancePath, message }) => `${instancePath} ${message}`).join("; ");
}
