/** The document is valid OpenAPI 3.1 and matches the routes. */
import { describe, expect, it } from "vitest";
import { answerFault, isJson } from "../../client/testing/described-answers.ts";
import { methodsOf } from "../route.ts";
import { routes } from "../routes/all.ts";
import { NOW, testInfo } from "../testing/server.ts";
import { openApiDocument, openApiPath } from "./document.ts";
import { readRecordedExamples } from "./examples.ts";

type Json = { readonly [name: string]: Json } & readonly Json[];

// As a client receives it.
const document = JSON.parse(
  JSON.stringify(openApiDocument(routes, testInfo(), readRecordedExamples(), NOW)),
) as Json;

describe("the OpenAPI document", () => {
  it("has version 3.1 and its required members", () => {
    expect(document.openapi).toBe("3.1.0");
    expect(document.info).toMatchObject({ title: expect.any(String), version: "1.2.3" });
    expect(Object.keys(document)).toEqual(["openapi", "info", "servers", "tags", "paths", "components"]);
  });

  it("has every route once for each of its methods", () => {
    const operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const expected = routes.flatMap((route) =>
      methodsOf(route).map((method) => `${method} ${openApiPath(route.path)}`),
    );
    expect(operations.sort()).toEqual(expected.sort());
  });

  it("describes further methods, and says which one to use", () => {
    const { post, put } = document.paths["/addresses/verify/{address}"];
    expect(post.deprecated).toBeUndefined();
    expect(put).toEqual({
      ...post,
      operationId: "putAddressesVerifyAddress",
      deprecated: true,
      description: "Same as POST; use that method.",
    });
  });

  it.each(Object.entries(document.paths))("%s is well-formed", (path, item) => {
    for (const operation of Object.values(item)) {
      expect(operation.summary).toBeTruthy();
      expect(operation.tags).toHaveLength(1);
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      const described = operation.parameters.filter((one) => String(one.in) === "path");
      expect(described.map((one) => String(one.name))).toEqual(inPath);
      expect(described.every((one) => String(one.required) === "true")).toBe(true);
      for (const [status, answer] of Object.entries(operation.responses)) {
        expect(Number(status)).toBeGreaterThanOrEqual(200);
        const reference = String(answer.$ref ?? "").replace("#/components/responses/", "");
        const { description, content = {} as Json } =
          reference === "" ? answer : document.components.responses[reference];
        expect(description).toBeTruthy();
        for (const media of Object.values(content)) expect(media.schema).toBeTypeOf("object");
      }
      // Some routes redirect, and a few always fail.
      const statuses = Object.keys(operation.responses);
      const summary = String(operation.summary);
      const expected = summary.startsWith("Redirects to")
        ? "308"
        : summary.startsWith("Fails because")
          ? "400"
          : "200";
      expect(statuses[0]).toBe(expected);
    }
  });

  it("has unique operation ids", () => {
    const ids = Object.values(document.paths).flatMap((path) =>
      Object.values(path).map((operation) => String(operation.operationId)),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("has recorded examples that fit their schemas", () => {
    const faults = routes.flatMap((route) => {
      const operation = document.paths[openApiPath(route.path)][route.method.toLowerCase()];
      return Object.entries(operation.responses).flatMap(([status, { content = {} }]) =>
        Object.entries(content)
          .filter(([, { example }]) => example !== undefined)
          .map(([contentType, { example }]) => {
            const body = isJson(contentType) ? JSON.stringify(example) : String(example);
            const fault = answerFault(route, { status: Number(status), contentType, body });
            return fault && `${route.method} ${route.path} ${status}: ${fault}`;
          }),
      );
    });
    expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
  });

  it("marks routes that need the key", () => {
    expect(document.paths["/debug/minerInfo"].get.security).toEqual([
      { apiKey: ["read"] },
      { bearerAuth: ["read"] },
    ]);
    expect(document.paths["/blocks/height"].get.security).toBeUndefined();
    expect(document.paths["/hash"].post.security).toEqual([
      {},
      { indexToken: [] },
      { indexTokenInQuery: [] },
    ]);
    const schemes = ["apiKey", "bearerAuth", "indexToken", "indexTokenInQuery"];
    expect(Object.keys(document.components.securitySchemes)).toEqual(schemes);
  });

  it("has all paths of the specification", () => {
    for (const path of [
      "/blocks/height",
      "/blocks/last",
      "/blocks/at/{height}",
      "/blocks/seq/{from}/{to}",
      "/blocks/signature/{signature}",
      "/blocks/address/{address}/{from}/{to}",
      "/hash",
      "/hash/{hash}",
      "/hash/{hash}/encoding/{encoding}",
      "/identities/{address}",
      "/identities/{address}/derived/{secret}",
      "/trust/{address}",
      "/addresses/balance/{address}",
      "/addresses/balance/{address}/{confirmations}",
      "/addresses/balance/details/{address}",
      "/leasing/lease",
      "/leasing/cancel",
      "/wallet/addresses",
      "/wallet/addresses/seq/{from}/{to}",
      "/debug/minerInfo",
      "/transactions/broadcast",
    ]) {
      expect(Object.keys(document.paths)).toContain(path);
    }
  });

  it("puts named schemas under components and refers to them", () => {
    const names = Object.keys(document.components.schemas);
    expect(names).toEqual(expect.arrayContaining(["Transaction", "ChainTransaction", "TransactionRequest"]));
    const text = JSON.stringify(document);
    const used = new Set([...text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name));
    expect([...used].sort()).toEqual(names.sort());
    expect(names.every((name) => /^[A-Za-z0-9._-]+$/.test(name))).toBe(true);
  });

  it("has only JSON values", () => {
    // JSON would silently drop symbols and functions.
    const text = JSON.stringify(document);
    expect(text).not.toContain("~kind");
    expect(text).not.toContain("undefined");
  });
});
