/** Holds answers to the schemas of their routes. */
import { Compile, type Validator } from "typebox/schema";
import { methodsOf, pathsOf, type Route } from "../../api/http/route.ts";
import { routes } from "../../api/routes/all.ts";
import { parseJson } from "../../bytes/json.ts";
import { decode, type Shape } from "../decode.ts";
import { decodedSchema, shapeOf } from "./shape-of.ts";

/** An answer, as far as it is looked at. */
export interface SeenAnswer {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly body: string;
}

/** An answer is not as the schema of its route says. */
export class UntrueAnswerError extends Error {
  override readonly name = "UntrueAnswerError";
}

/** What is no route of the list: documentation. */
const OTHER = /^\/(?:$|swagger\/?$|api-docs(?:\/|$))/;

interface KnownRoute {
  readonly route: Route;
  readonly pattern: RegExp;
  readonly parameters: number;
}

function patternOf(path: string, route: Route): RegExp {
  const source = path
    .replace(/[.+?^${}()|[\]\\]/g, "\\$&")
    .replace(/\*$/, ".*")
    .replace(/:\w+/g, "[^/]+");
  return new RegExp(`^${source}$`, route.family === "index" ? "i" : "");
}

/** Fixed segments go before parameters, as in the server. */
const known: readonly KnownRoute[] = routes
  .flatMap((route) =>
    pathsOf(route).map((path) => ({
      route,
      pattern: patternOf(path, route),
      parameters: path.split(/:|\*$/).length,
    })),
  )
  .sort((a, b) => a.parameters - b.parameters);

/** A segment of a path as the server reads it. */
function segment(text: string): string {
  try {
    return decodeURIComponent(text).replaceAll("/", "%2F");
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}

/** The route that answers a request; undefined when none does. */
export function routeOf(method: string, url: string): Route | undefined {
  // This resolves dots and leaves the rest as it is.
  const { pathname } = new URL(`http://node${url}`);
  const path = pathname.split("/").map(segment).join("/");
  const matches = known.filter(({ pattern }) => pattern.test(path));
  return matches.find(({ route }) => (methodsOf(route) as string[]).includes(method))?.route;
}

interface Checker {
  readonly shape: Shape;
  readonly validator: Validator;
}

/** Compiled at the first answer of a route. */
const checkers = new Map<Route, Checker>();

function checkerOf(route: Route): Checker {
  let checker = checkers.get(route);
  if (checker === undefined) {
    // A JSON schema is one after large integers were given another type, too.
    const schema = decodedSchema(route.answer) as object;
    checker = { shape: shapeOf(route.answer), validator: Compile(schema) };
    checkers.set(route, checker);
  }
  return checker;
}

/** What is wrong with an answer of a route, as a text; undefined when it is as its schema says. */
export function answerFault(route: Route, { contentType, body }: SeenAnswer): string | undefined {
  const json = /json/.test(contentType ?? "");
  if (json !== (route.answerType === undefined)) return `${contentType} instead of ${route.answerType}`;
  const { shape, validator } = checkerOf(route);
  const value = json ? decode(parseJson(body, { depth: 1_000 }), shape) : body;
  if (validator.Check(value)) return undefined;
  const [, errors] = validator.Errors(value);
  return errors.map(({ instancePath, message }) => `${instancePath} ${message}`).join("; ");
}

/**
 * Checks an answer to a request, if it is a successful one.
 * @throws UntrueAnswerError that says what is not as the route's schema says
 */
export function checkAnswer(method: string, url: string, answer: SeenAnswer): void {
  const isSuccess = answer.status === 200 || answer.status === 308;
  if (!isSuccess || method === "HEAD" || OTHER.test(url)) return;
  const route = routeOf(method, url);
  // Pre-flight requests are answered everywhere.
  if (route === undefined && method === "OPTIONS") return;
  const where = `${method} ${url}: `;
  if (route === undefined) throw new UntrueAnswerError(`${where}no route`);
  const fault =
    answer.status === 308
      ? route.redirects === true
        ? undefined
        : "leads elsewhere without saying so"
      : answerFault(route, answer);
  if (fault === undefined) return;
  throw new UntrueAnswerError(`${where}${fault.slice(0, 600)} in ${answer.body.slice(0, 300)}`);
}
