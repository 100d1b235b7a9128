/** A relative `<base>` lets the explorer work below any prefix. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ApiError, failures } from "../../http/errors.ts";
import { header } from "../../http/requests/headers.ts";
import { parseAccept } from "../../http/responses/accept.ts";
import { applyEntityTag, entityTag } from "../../http/responses/entity-tags.ts";
import type { ApiInfo } from "../info.ts";

const EXPLORER_PATH = "/explorer";

const MAX_PATH_DEPTH = 8;

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
};

/** For assets, whose names contain a hash of their content. */
const IMMUTABLE = "public, max-age=31536000, immutable";

const BASE_TAG = '<base href="./" />';

const SECURITY_HEADERS = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
} as const;

const NOT_BUILT_TEXT =
  "The explorer is not built. Build Holdfast with Node.js 20.19, 22.12 or newer to include it. The " +
  "rest of the node works without it.\n";

/** Other characters could break `content-security-policy`. */
const ORIGIN_PATTERN = /^https?:\/\/[a-z0-9.:[\]-]+$/;

function originOfOtherNode(query: URLSearchParams): string | undefined {
  const url = query.get("node");
  if (url === null || !URL.canParse(url)) return undefined;
  const { origin } = new URL(url);
  return ORIGIN_PATTERN.test(origin) ? origin : undefined;
}

function contentSecurityPolicy(query: URLSearchParams): string {
  const otherOrigin = originOfOtherNode(query);
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src 'self'${otherOrigin === undefined ? "" : ` ${otherOrigin}`}`,
    "base-uri 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

interface BuiltExplorer {
  readonly page: string;
  readonly assets: ReadonlyMap<string, Buffer>;
}

/** Reads all files at once, because a later build replaces the folder. Returns undefined if not built. */
function readBuild(folder: string): BuiltExplorer | undefined {
  try {
    const page = readFileSync(join(folder, "index.html"), "utf8");
    const assets = join(folder, "assets");
    return {
      page,
      assets: new Map(readdirSync(assets).map((name) => [name, readFileSync(join(assets, name))])),
    };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Returns true if HTML is first in `Accept`, and no other type has a higher quality. */
export function wantsPage({ method, headers }: Pick<FastifyRequest, "method" | "headers">): boolean {
  if (method !== "GET" && method !== "HEAD") return false;
  const ranges = parseAccept(header(headers, "accept") ?? "") ?? [];
  const [first] = ranges;
  return (
    first?.type === "text" &&
    first.subtype === "html" &&
    ranges.every(({ quality }) => quality <= first.quality)
  );
}

export function pageLocation({ prefix = "" }: ApiInfo): string {
  return prefix === "" ? "explorer/" : `${prefix}${EXPLORER_PATH}/`;
}

export function registerExplorer(server: FastifyInstance, { explorer }: ApiInfo): void {
  if (explorer === undefined) return;
  let built: BuiltExplorer | undefined;
  const files = (): BuiltExplorer | undefined => {
    built ??= readBuild(explorer);
    return built;
  };

  const sendPage = (request: FastifyRequest, reply: FastifyReply, depth: number): FastifyReply => {
    const page = files()?.page;
    if (page === undefined) return reply.code(503).type("text/plain; charset=utf-8").send(NOT_BUILT_TEXT);
    const query = request.query as URLSearchParams;
    reply.headers({
      ...SECURITY_HEADERS,
      "content-security-policy": contentSecurityPolicy(query),
      "cache-control": "no-cache",
    });
    const body = page.replace(BASE_TAG, `<base href="${"../".repeat(depth) || "./"}" />`);
    if (applyEntityTag(reply, entityTag(body))) return reply.send();
    return reply.type("text/html; charset=utf-8").send(body);
  };

  const method = ["GET", "HEAD"];
  server.route({
    method,
    url: EXPLORER_PATH,
    handler: (request, reply) => {
      const query = request.url.slice(EXPLORER_PATH.length);
      return reply.code(308).header("location", `explorer/${query}`).send();
    },
  });
  server.route<{ Params: { name: string } }>({
    method,
    url: `${EXPLORER_PATH}/assets/:name`,
    handler: (request, reply) => {
      const { name } = request.params;
      const bytes = files()?.assets.get(name);
      const type = CONTENT_TYPES[name.slice(name.lastIndexOf(".") + 1)];
      if (bytes === undefined || type === undefined) throw new ApiError(failures.notFound);
      return reply.headers(SECURITY_HEADERS).header("cache-control", IMMUTABLE).type(type).send(bytes);
    },
  });
  server.route({
    method,
    url: `${EXPLORER_PATH}/*`,
    handler: (request, reply) => {
      const [path] = request.url.split("?");
      const depth = path.split("/").length - 3;
      if (depth > MAX_PATH_DEPTH || path.startsWith(`${EXPLORER_PATH}/assets/`))
        throw new ApiError(failures.notFound);
      return sendPage(request, reply, depth);
    },
  });
}
