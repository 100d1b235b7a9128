/** Holds answers to the description of their routes. */
import { methodsOf, pathsOf, type Route } from "../../api/route.ts";
import { routes } from "../../api/routes/all.ts";
import { answerFault, type SeenAnswer } from "./described-answers.ts";

/** An answer is not as the schema of its route says. */
export class SchemaMismatchError extends Error {
  override readonly name = "UntrueAnswerError";
}

/** What is no route of the list: documentation, and the page of the explorer. */
const NOT_A_ROUTE = /^\/(?:$|swagger\/?$|api-docs(?:\/|-json$|$)|explorer(?:[/?]|$))/;

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
  return new RegExp(`^${source}$`, route.family === "index" ? "is" : "s");
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

/**
 * Checks an answer to a request: its status, its media type and its body.
 * @throws UntrueAnswerError that says what is not as the description says
 */
export function checkAnswer(method: string, url: string, answer: SeenAnswer): void {
  // What has no body says nothing; the pages are no routes of the list.
  if (method === "HEAD" || NOT_A_ROUTE.test(url)) return;
  const route = routeOf(method, url);
  // Pre-flight requests are answered everywhere.
  if (route === undefined && method === "OPTIONS") return;
  const fault = answerFault(route, answer);
  if (fault === undefined) return;
  const where = `${method} ${url}: ${answer.status}: `;
  throw new SchemaMismatchError(`${where}${fault.slice(0, 600)} in ${answer.body.slice(0, 300)}`);
}
