/** The API's description and its page: OpenAPI as JSON and YAML, and Swagger UI from its package. Page 06 §7.18. */
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import staticFiles from "@fastify/static";
import type { FastifyInstance, HTTPMethods } from "fastify";
import { varyBy } from "../../http/requests/headers.ts";
import { type Reply, redirect } from "../../http/responses/reply.ts";
import type { Clock } from "../../interfaces.ts";
import type { ApiInfo } from "../info.ts";
import type { Route } from "../route.ts";
import { pageLocation, wantsPage } from "../server/explorer.ts";

/** The page stands here; `/` (of who wants no page of the explorer) and the older addresses lead to it. */
const PAGE = "/api-docs/index.html";

const ANY_METHOD: HTTPMethods[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/**
 * The only file of the page that is ours: it says where the description stands, and that routes are shown a tag at a
 * time, since a browser takes seconds to draw all.
 */
const INITIALIZER = `window.onload = () => {
  window.ui = SwaggerUIBundle({
    url: "./swagger.json",
    dom_id: "#swagger-ui",
    deepLinking: true,
    docExpansion: "none",
    validatorUrl: null,
    presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
    layout: "StandaloneLayout",
  });
};
`;

/** Some examples work for a while only, and once; nobody needs a new description more often, ms. */
const CACHE_MS = 60_000;

/** What was made, made anew when it is older. @param keptMs for how long it is kept */
function cached(clock: Clock, keptMs: number, make: () => Promise<string>): () => Promise<string> {
  let made = { at: Number.NEGATIVE_INFINITY, text: Promise.resolve("") };
  return () => {
    const at = clock.monotonic();
    if (at - made.at >= keptMs) made = { at, text: make() };
    return made.text;
  };
}

/** Adds the documentation of the routes, and its own routes. The root of the index leads there as its own did: page 07 §14.4. */
export async function registerDocumentation(
  server: FastifyInstance,
  info: ApiInfo,
  routes: readonly Route[],
  clock: Clock,
): Promise<void> {
  const toPage: Reply = redirect(PAGE, info);
  for (const url of ["/", "/swagger", "/api-docs", "/api-docs/"]) {
    const choosesPage = url === "/" && info.explorer !== undefined;
    server.route({
      method: ANY_METHOD,
      url,
      handler: (request, reply) => {
        if (choosesPage) varyBy(reply, "Accept");
        // Not for ever: the page can be switched off.
        if (choosesPage && wantsPage(request))
          return reply.code(302).header("location", pageLocation(info)).send();
        return reply
          .code(toPage.status)
          .headers(toPage.headers ?? {})
          .type(String(toPage.type))
          .send(toPage.body);
      },
    });
  }

  for (const url of ["/index", "/index/"]) {
    server.get(url, (_request, reply) => {
      const location = `${info.prefix ?? ""}/api-docs`;
      return reply
        .code(302)
        .header("location", location)
        .type("text/plain; charset=utf-8")
        .send(`Found. Redirecting to ${location}`);
    });
  }

  // Hardly anybody asks for it: what it is made of is loaded when somebody does.
  const document = async (): Promise<object> => {
    const { openApiDocument } = await import("./document.ts");
    const { recordedExamples } = await import("./examples.ts");
    return openApiDocument(routes, info, recordedExamples(), clock.now());
  };
  const json = cached(clock, CACHE_MS, async () => JSON.stringify(await document()));
  // Dear to write, a good part of a second: once is enough. The page reads the other one.
  const yaml = cached(clock, Number.POSITIVE_INFINITY, async () => {
    const { stringify } = await import("yaml");
    // Through JSON, so that equal schemas are written out instead of being shared by reference.
    return stringify(JSON.parse(JSON.stringify(await document())));
  });
  server.route({
    method: ANY_METHOD,
    url: "/api-docs/swagger.json",
    handler: async (_request, reply) =>
      reply
        .header("content-type", "application/json")
        .serializer((text) => text as string)
        .send(await json()),
  });
  // Where the index has it. Page 07 §2.
  server.get("/api-docs-json", async (_request, reply) =>
    reply
      .type("application/json; charset=utf-8")
      .serializer((text) => text as string)
      .send(await json()),
  );
  server.route({
    method: ANY_METHOD,
    url: "/api-docs/swagger.yaml",
    handler: async (_request, reply) => reply.type("text/vnd.yaml").send(await yaml()),
  });

  server.get("/api-docs/swagger-initializer.js", (_request, reply) =>
    reply.type("text/javascript; charset=utf-8").send(INITIALIZER),
  );
  const swaggerUi = dirname(createRequire(import.meta.url).resolve("@fastify/swagger-ui"));
  await server.register(staticFiles, {
    root: join(swaggerUi, "static"),
    prefix: "/api-docs/",
    index: false,
    decorateReply: false,
  });
}
