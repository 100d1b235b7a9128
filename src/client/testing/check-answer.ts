import { methodsOf, pathsOf, type Route } from "../../api/route.ts";
import { routes } from "../../api/routes/all.ts";
import { answerFault, type SeenAnswer } from "./described-answers.ts";

/** Thrown if an answer does not match the schema of its route. */
export class SchemaMismatchError extends Error {
  override readonly name = "SchemaMismatchError";
}

/** URLs outside the route list: documentation and explorer. */
const NOT_A_ROUTE = /^\/(?:$|swagger\/?$|api-docs(?:\/|-json$|$)|explorer(?:[/?]|$))/;

interface RoutePattern {
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

/** All paths. Those with fewer parameters come first, because fixed segments take precedence in the server. */
const routePatterns: readonly RoutePattern[] = routes
  .flatMap((route) =>
    pathsOf(route).map((path) => ({
      route,
      pattern: patternOf(path, route),
      parameters: path.split(/:|\*$/).length,
    })),
  )
  .sort((a, b) => a.parameters - b.parameters);

/** Decodes a path segment as the server does. */
function segment(text: string): string {
  try {
    return decodeURIComponent(text).replaceAll("/", "%2F");
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}

/** Returns the route of a request, or undefined. */
export function routeOf(method: string, url: string): Route | undefined {
  // `URL` resolves dots and changes nothing else.
  const { pathname } = new URL(`http://node${url}`);
  const path = pathname.split("/").map(segment).join("/");
  const matches = routePatterns.filter(({ pattern }) => pattern.test(path));
  return matches.find(({ route }) => (methodsOf(route) as string[]).includes(method))?.route;
}

/** Checks status, media type and body of an answer. @throws SchemaMismatchError that names the difference */
export function checkAnswer(method: string, url: string, answer: SeenAnswer): void {
  // Answers to HEAD have no body, and the route list does not contain pages.
  if (method === "HEAD" || NOT_A_ROUTE.test(url)) return;
  const route = routeOf(method, url);
  // Preflight requests are answered on every path.
  if (route === undefined && method === "OPTIONS") return;
  const fault = answerFault(route, answer);
  if (fault === undefined) return;
  const where = `${method} ${url}: ${answer.status}: `;
  throw new SchemaMismatchError(`${where}${fault.slice(0, 600)} in ${answer.body.slice(0, 300)}`);
}
