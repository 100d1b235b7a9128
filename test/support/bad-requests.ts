/** Requests with one error each, derived from the examples of a route. */
import type { TSchema } from "typebox";
import { ROOT, SECOND } from "../../src/api/openapi/dev-examples.ts";
import { examplesOf } from "../../src/api/openapi/examples.ts";
import { methodsOf, type Route } from "../../src/api/route.ts";
import { START } from "./example-node.ts";
import { exampleRequest, type SentRequest } from "./example-requests.ts";

const NUMBERS = ["x", "-1", "1x", "2147483647", "2147483648", "1e400"];
// Invalid Base58, an unknown id, an id that is too long, and characters with a meaning in URLs and DIDs.
const TEXTS = [
  "0OIl",
  "11111111111111111111111111111111",
  "2".repeat(120),
  "a:b",
  "a/b",
  "ä",
  "%",
  "did:lto:x",
];
const MEMBERS = [null, "", "x", -1, 0.5, 9_000_000_000_000_000, true, [], {}, ["x"]];
const BODIES = ["", " ", "{", "{}", "[]", "[1]", '["x"]', "null", "5", '"x"', '{"a":1e400}', "\uFEFF{}"];
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "QUERY"];

function valuesOf(schema: TSchema | undefined): readonly string[] {
  return (schema as { readonly type?: string } | undefined)?.type === "integer" ? NUMBERS : TEXTS;
}

function ofParameters(route: Route): SentRequest[] {
  const inPath = Object.entries(route.request?.params ?? {}).flatMap(([name, schema]) =>
    valuesOf(schema).map((value) => exampleRequest(route, { params: { [name]: value } })),
  );
  const inQuery = Object.keys(route.request?.query ?? {}).flatMap((name) =>
    ["", ...NUMBERS, ...TEXTS].map((value) => exampleRequest(route, { query: { [name]: value } })),
  );
  const { url, ...rest } = exampleRequest(route);
  return [
    ...inPath,
    ...inQuery,
    ...(route.request?.query === undefined ? [] : [{ ...rest, url: url.replace(/\?.*/, "") }]),
  ];
}

function ofBodies(route: Route): SentRequest[] {
  if (route.request?.body === undefined) return [];
  const { body } = examplesOf(route, {}, START);
  const members =
    typeof body !== "object" || body === null || Array.isArray(body)
      ? []
      : Object.keys(body).flatMap((name) => [
          Object.fromEntries(Object.entries(body).filter(([other]) => other !== name)),
          ...MEMBERS.map((value) => ({ ...body, [name]: value })),
        ]);
  const request = exampleRequest(route);
  const wrong = [...BODIES, ...members.map((one) => JSON.stringify(one))];
  return [
    ...wrong.map((text) => ({ ...request, body: text })),
    { ...request, headers: { "content-encoding": "gzip" } },
    { ...request, headers: { "content-type": "text/plain; charset=nope" } },
    { ...request, body: "x".repeat(1_048_577) },
  ];
}

/** A valid address that no account uses. */
const NOBODY = "3QXFkgzvEwEW8fuEPQg4SrYLZpSTLA878rf";

/** For routes that resolve DIDs: unsupported media types, and unknown or deactivated DIDs. */
function ofDids(route: Route): SentRequest[] {
  const [name] = Object.keys(route.request?.params ?? {});
  if (name === undefined || route.answers.forms?.["application/did"] === undefined) return [];
  const types = ["application/did", "application/did-resolution", "application/did-url-dereferencing"];
  const dids = [
    `did:lto:${SECOND}`,
    `did:lto:${NOBODY}`,
    "did:web:example.com",
    "did:lto:x",
    `did:lto:${ROOT}#sign`,
  ];
  const about = dids.map((did) => exampleRequest(route, { params: { [name]: did } }));
  return ["application/did+cbor", ...types].flatMap((accept) =>
    [exampleRequest(route), ...about]
      .flatMap((request) => [request, { ...request, url: request.url.replace(/\?.*/, "") }])
      .map((request) => ({ ...request, headers: { accept } })),
  );
}

/** All bad requests of a route. Some routes nevertheless accept some of them. */
export function badRequests(route: Route): readonly SentRequest[] {
  const request = exampleRequest(route);
  const known: readonly string[] = methodsOf(route);
  return [
    ...ofParameters(route),
    ...ofBodies(route),
    ...ofDids(route),
    ...METHODS.filter((method) => !known.includes(method)).map((method) => ({ ...request, method })),
    { ...request, url: `${request.url}/more` },
    { ...request, url: `${request.url}${"x".repeat(2_100)}` },
    { ...request, url: `${request.url}%zz` },
    // A client that has already cached the answer.
    { ...request, headers: { "if-none-match": "*" } },
    { ...request, headers: { accept: "image/png" } },
    { ...request, headers: { host: "example.com" } },
    { ...request, headers: { authorization: "Bearer x" } },
  ];
}
