/** Page 06 §7.18. */
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import staticFiles from "@fastify/static";
import type { FastifyInstance, HTTPMethods } from "fastify";
import { varyBy } from "../../http/requests/headers.ts";
import { redirect } from "../../http/responses/reply.ts";
import { respond } from "../../http/responses/respond.ts";
import type { Clock } from "../../interfaces.ts";
import { cachedFor } from "../../runtime/timers.ts";
import type { ApiInfo } from "../info.ts";
import type { Route } from "../route.ts";
import { pageLocation, wantsPage } from "../server/explorer.ts";

/** Older addresses and `/` redirect here. */
const PAGE_PATH = "/api-docs/index.html";

const ANY_METHOD: HTTPMethods[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** All tags are collapsed at first, because rendering all routes takes seconds. */
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

/** The document is built again after this time, because some examples expire. */
const CACHE_MS = 60_000;

export async function registerDocumentation(
  server: FastifyInstance,
  info: ApiInfo,
  routes: readonly Route[],
  clock: Clock,
): Promise<void> {
  for (const url of ["/", "/swagger", "/api-docs", "/api-docs/"]) {
    const redirectsBrowsers = url === "/" && info.explorer !== undefined;
    server.route({
      method: ANY_METHOD,
      url,
      handler: (request, reply) => {
        if (redirectsBrowsers) varyBy(reply, "Accept");
        if (redirectsBrowsers && wantsPage(request))
          return reply.code(302).header("location", pageLocation(info)).send();
        respond(reply, redirect(PAGE_PATH, info), undefined);
        return reply;
      },
    });
  }

  // As in the reference. Page 07 §14.4.
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

  const document = async (): Promise<object> => {
    const { openApiDocument } = await import("./document.ts");
    const { readRecordedExamples } = await import("./examples.ts");
    return openApiDocument(routes, info, readRecordedExamples(), clock.now());
  };
  const json = cachedFor(clock, CACHE_MS, async () => JSON.stringify(await document()));
  // Building the YAML takes almost a second.
  const yaml = cachedFor(clock, Number.POSITIVE_INFINITY, async () => {
    const { stringify } = await import("yaml");
    // The copy prevents YAML aliases for shared schemas.
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
