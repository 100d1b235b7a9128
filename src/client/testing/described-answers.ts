/** What the description says of the answers of a route, ready to hold answers to it. */
import { Compile, type Validator } from "typebox/schema";
import type { ApiInfo } from "../../api/info.ts";
import { openApiDocument, openApiPath } from "../../api/openapi/document.ts";
import type { Route } from "../../api/route.ts";
import { routes } from "../../api/routes/all.ts";
import { parseJson } from "../../bytes/json.ts";
import { dev } from "../../profiles/index.ts";
import { decode, type Shape } from "../decode.ts";
import { decodedSchema, shapeOf } from "./shape-of.ts";

/** The part of an OpenAPI document that is looked at. */
interface Described {
  readonly description: string;
  readonly content: Readonly<Record<string, { readonly schema: object }>>;
}
type Reference = { readonly $ref: string };
interface Document {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<string, { readonly responses: Readonly<Record<string, Described | Reference>> } | undefined>
      >
    >
  >;
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>;
    readonly responses: Readonly<Record<string, Described>>;
  };
}

const info: ApiInfo = {
  network: dev,
  version: "0.0.0",
  openKeyRoutes: false,
  bodyLimit: 0,
  cors: false,
  apiKeyDifferentHost: false,
  didResponse: "document",
  configuration: {},
};

// As a client gets it; it has the form that `Document` tells of.
const document = JSON.parse(JSON.stringify(openApiDocument(routes, info, {}, 0))) as Document;

function named(reference: string): object {
  return document.components.schemas[reference.slice(reference.lastIndexOf("/") + 1)] as object;
}

/** The schema with what it refers to in place. */
function whole(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(whole);
  if (typeof schema !== "object" || schema === null) return schema;
  if ("$ref" in schema) return whole(named(String(schema.$ref)));
  return Object.fromEntries(Object.entries(schema).map(([name, one]) => [name, whole(one)]));
}

interface Checker {
  readonly shape: Shape;
  readonly validator: Validator;
}

/** Compiled at the first answer of a kind; those that several routes have are the same. */
const checkers = new Map<object, Checker>();

function checkerOf(schema: object): Checker {
  let checker = checkers.get(schema);
  if (checker === undefined) {
    // A JSON schema is one after large integers were given another type, too.
    const full = whole(schema) as object;
    checker = { shape: shapeOf(full), validator: Compile(decodedSchema(full) as object) };
    checkers.set(schema, checker);
  }
  return checker;
}

function describedOf(route: Route | undefined, status: number): Described | undefined {
  if (route === undefined) {
    // Where no route is, failures are answered that any route can have.
    return status < 400 ? undefined : document.components.responses.NotFound;
  }
  const operation = document.paths[openApiPath(route.path)]?.[route.method.toLowerCase()];
  const answer = operation?.responses[String(status)];
  if (answer === undefined || !("$ref" in answer)) return answer;
  return document.components.responses[answer.$ref.slice(answer.$ref.lastIndexOf("/") + 1)];
}

/** Whether a media type, without parameters, is one of JSON; those of DIDs do not say so by their names. */
export function isJson(type: string): boolean {
  return type.endsWith("json") || type.startsWith("application/did");
}

/** An answer, as far as it is looked at. */
export interface SeenAnswer {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly body: string;
}

/**
 * What is wrong with an answer, as a text; undefined when it is as the description says.
 * @param route undefined: none
 */
export function answerFault(
  route: Route | undefined,
  { status, contentType, body }: SeenAnswer,
): string | undefined {
  const described = describedOf(route, status);
  if (described === undefined) return route === undefined ? "no route" : `it answers with ${status}`;
  if (Object.keys(described.content).length === 0) return body === "" ? undefined : "a body that has no form";
  const type = (contentType ?? "").split(";", 1)[0].trim();
  const media = described.content[type];
  if (media === undefined) return `${contentType} instead of ${Object.keys(described.content).join(", ")}`;
  const { shape, validator } = checkerOf(media.schema);
  const value = isJson(type) ? decode(parseJson(body, { depth: 1_000 }), shape) : body;
  if (validator.Check(value)) return undefined;
  const [, errors] = validator.Errors(value);
  return errors.map(({ instancePath, message }) => `${instancePath} ${message}`).join("; ");
}
