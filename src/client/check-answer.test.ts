/** Tests of the schema check that other tests apply to every answer. */
import Type from "typebox";
import { describe, expect, test } from "vitest";
import { routes } from "../api/routes/all.ts";
import { int64, object } from "../api/schemas/common.ts";
import { parseJson } from "../bytes/json.ts";
import { decode } from "./decode.ts";
import { checkAnswer, routeOf, SchemaMismatchError } from "./testing/check-answer.ts";
import { shapeOf } from "./testing/shape-of.ts";

const address = "3N6mZMgGqYn9EVAR2Vbf637iej4fFipECq8";
const json = "application/json";

function check(url: string, body: string, contentType = json, status = 200): void {
  checkAnswer("GET", url, { status, contentType, body });
}

describe("the answer check", () => {
  const balance = (rest: string): string => `{"address":"${address}","confirmations":0${rest}}`;

  test.each([
    ["/blocks/height", '{"height":7}'],
    ["/blocks/./height", '{"height":7}'],
    [`/addresses/balance/${address}`, balance(',"balance":9223372036854775807')],
    [
      `/index/Trust/${address}`,
      '{"roles":[],"issues_roles":[{"type":5,"role":"x"}],"issues_authorization":[]}',
    ],
    [
      `/addresses/data/${address}`,
      '[{"key":"a","type":"integer","value":-9223372036854775808},{"key":"b","type":"string","value":"1"}]',
    ],
    ["/debug/blocks/1", '[{"300":"abc"}]'],
  ])("accepts %s %s", (url, body) => {
    check(url, body);
  });

  test.each([
    ["/blocks/height", "{}", "height"],
    ["/blocks/height", '{"height":"7"}', "/height"],
    ["/blocks/height", '{"height":7.5}', "/height"],
    ["/blocks/height", '{"height":7,"more":1}', "additional"],
    ["/blocks/height", '{"height":9007199254740993}', "/height"],
    ["/blocks/height", "[]", "object"],
    [`/addresses/balance/${address}`, balance(',"balance":"1"'), "/balance"],
    [`/addresses/balance/${address}`, balance(""), "balance"],
    [`/addresses/data/${address}/a`, '{"key":"a","type":"integer","value":1.5}', "/value"],
    ["/transactions/unconfirmed", '[{"type":4,"id":"abc"}]', "/0"],
    ["/nowhere", "{}", "no route"],
  ])("rejects %s %s", (url, body, text) => {
    expect(() => check(url, body)).toThrow(SchemaMismatchError);
    expect(() => check(url, body)).toThrow(text);
  });

  test("checks the media type, and allows redirects only on routes that declare them", () => {
    expect(() => check("/blocks/height", "7", "text/plain")).toThrow(SchemaMismatchError);
    expect(() => check(`/certificates/${address}/raw`, "{}")).toThrow(SchemaMismatchError);
    check(`/certificates/${address}/raw`, "bytes", "application/pkix-cert");
    check("/addresses", "", "text/html", 308);
    expect(() => check("/blocks/height", "", "text/html", 308)).toThrow("answers with 308");
  });

  test("checks failures as well", () => {
    const notFound = '{"error":404,"message":"not found"}';
    check("/blocks/at/1", '{"error":301,"message":"block does not exist"}', json, 404);
    check("/transactions/info/1", '{"status":"error","details":"x"}', json, 404);
    check("/transactions/info/1", notFound, json, 404);
    check("/hash/1/encoding/hex", "invalid hash given", "text/plain; charset=UTF-8", 400);
    check("/nowhere", notFound, json, 404);
    expect(() => check("/blocks/height", "no", "text/plain", 503)).toThrow("text/plain");
    expect(() => check("/blocks/height", notFound, json, 409)).toThrow("answers with 409");
    expect(() => check("/blocks/at/1", '{"error":"x"}', json, 404)).toThrow("/error");
    expect(() => check("/nowhere", '{"error":"x"}', json, 404)).toThrow("/error");
  });
});

test("finds every route by its own path, and derives a shape from its schema", () => {
  for (const route of routes) {
    const url = route.path.replace(/:\w+/g, "1");
    expect(routeOf(route.method, url)?.path, url).toBe(route.path);
    shapeOf(route.answers.ok, `${route.method} ${route.path}`);
  }
});

describe("decoding", () => {
  test("gives bigints for 64-bit integers of any size, and elsewhere only if a number cannot hold the value", () => {
    const schema = object({
      list: Type.Array(int64("")),
      one: Type.Integer(),
      either: Type.Union([object({ amount: int64("") }), Type.String()]),
      named: Type.Record(Type.String(), int64("")),
      unknown: Type.Unknown(),
    });
    const text =
      '{"list":[1,9223372036854775807],"one":1,"either":{"amount":3},"named":{"a":4,"__proto__":5},"unknown":[1,0.5,1e30]}';
    const value = decode(parseJson(text), shapeOf(schema));
    expect(value).toEqual({
      list: [1n, 2n ** 63n - 1n],
      one: 1,
      either: { amount: 3n },
      named: Object.fromEntries([
        ["a", 4n],
        ["__proto__", 5n],
      ]),
      unknown: [1, 0.5, 10n ** 30n],
    });
  });

  test("rejects schemas whose alternatives disagree on bigint and number", () => {
    const either = Type.Union([object({ at: int64("") }), object({ at: Type.Integer() })]);
    expect(() => shapeOf(either)).toThrow("$.at: a number or a bigint");
    const lists = Type.Union([
      object({ at: Type.Array(int64("")) }),
      object({ at: Type.Array(Type.Number()) }),
    ]);
    expect(() => shapeOf(lists)).toThrow("$.at[]: a number or a bigint");
  });
});
