import { readFileSync } from "node:fs";
import type { Route, RouteRequest } from "../route.ts";

/** Recorded answers, JSON or text: by method and path, then by status. */
export type Examples = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export function readRecordedExamples(): Examples {
  return JSON.parse(readFileSync(new URL("./example-answers.json", import.meta.url), "utf8")) as Examples;
}

export interface RouteExamples {
  readonly path: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly answers: Readonly<Record<string, unknown>>;
}

/** Examples of the route take precedence over those of the schemas. */
function parameterExamples(
  schemas: RouteRequest["params"],
  routeExamples: Readonly<Record<string, unknown>> | undefined,
): Readonly<Record<string, unknown>> {
  const examples = Object.entries(schemas ?? {}).flatMap(([name, schema]) => {
    const { examples = [], enum: values = [] } = schema as {
      readonly examples?: readonly unknown[];
      readonly enum?: readonly unknown[];
    };
    const [example] = [routeExamples?.[name], ...examples, ...values].filter((value) => value !== undefined);
    return example === undefined ? [] : [[name, example]];
  });
  return Object.fromEntries(examples);
}

export function examplesOf(route: Route, recorded: Examples, now: number): RouteExamples {
  const { params, query, body } = route.request?.example ?? {};
  return {
    path: parameterExamples(route.request?.params, params),
    query: parameterExamples(route.request?.query, query),
    body: typeof body === "function" ? body(now) : body,
    answers: recorded[`${route.method} ${route.path}`] ?? {},
  };
}
