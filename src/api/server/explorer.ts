/** A relative `<base>` lets the explorer work below any prefix. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { isFromForeignPage } from "../../http/access/auth.ts";
import { isOnAdminPort } from "../../http/connections/listener.ts";
import { ApiError, failures } from "../../http/errors.ts";
import { header } from "../../http/requests/headers.ts";
import { parseAccept } from "../../http/responses/accept.ts";
import { applyEntityTag, entityTag } from "../../http/responses/entity-tags.ts";
import type { Clock } from "../../interfaces.ts";
import type { ApiInfo } from "../info.ts";
import { type PageContent, PageContents } from "./page-content.ts";
import type { AnswersId, RenderedLanguage } from "./page-renderer.ts";

const EXPLORER_PATH = "/explorer";

const MAX_PATH_SEGMENTS = 9;

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
};

/** For assets, whose names contain a hash of their content. */
const IMMUTABLE = "public, max-age=31536000, immutable";

const BASE_TAG = '<base href="./" />';
const HTML_TAG = '<html lang="en">';
const PAGE_ELEMENT = '<div id="page"></div>';
const ANSWERS_ID: AnswersId = "answers";
const THEME = /^(dark|light)$/;
const STYLESHEET = /<link rel="stylesheet" [^>]*href="\.\/assets\/([\w.-]+)">/;

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

/** @param styles content of the page's style elements */
function contentSecurityPolicy(query: URLSearchParams, styles: readonly string[]): string {
  const hashes = styles
    .filter((css) => css !== "")
    .map((css) => ` 'sha256-${createHash("sha256").update(css).digest("base64")}'`);
  const otherOrigin = originOfOtherNode(query);
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self'${hashes.join("")}`,
    "img-src 'self' data:",
    `connect-src 'self'${otherOrigin === undefined ? "" : ` ${otherOrigin}`}`,
    "base-uri 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

interface BuiltExplorer {
  /** With the style sheet, which would cost a round trip before anything is visible. */
  readonly page: string;
  readonly css: string;
  readonly assets: ReadonlyMap<string, Buffer>;
}

const styleElement = (css: string): string => `<style>${css}</style>`;

/** Reads all files at once, because a later build replaces the folder. Returns undefined if not built. */
function readBuild(folder: string): BuiltExplorer | undefined {
  try {
    const page = readFileSync(join(folder, "index.html"), "utf8");
    const names = readdirSync(join(folder, "assets"));
    const assets = new Map(names.map((name) => [name, readFileSync(join(folder, "assets", name))]));
    const css = assets.get(STYLESHEET.exec(page)?.[1] ?? "")?.toString() ?? "";
    return { page: page.replace(STYLESHEET, () => styleElement(css)), css, assets };
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

function cookieOf({ headers }: Pick<FastifyRequest, "headers">, name: string): string | undefined {
  const cookies = (header(headers, "cookie") ?? "").split(";").map((text) => text.trim().split("="));
  return cookies.find(([other]) => other === name)?.[1];
}

/** The user's choice or the browser's preference, as the explorer's `language`. */
function languageOf(request: Pick<FastifyRequest, "headers">): RenderedLanguage {
  const preferred = (header(request.headers, "accept-language") ?? "").split(",");
  const tags = [cookieOf(request, "holdfast-language") ?? "", ...preferred];
  const languages = tags.map((tag) => tag.trim().slice(0, 2).toLowerCase());
  return languages.find((name): name is RenderedLanguage => name === "en" || name === "nl") ?? "en";
}

function withContent(page: string, { title, html, css, answers }: PageContent): string {
  // No text of an answer can end the element.
  const json = JSON.stringify(answers).replaceAll("<", "\\u003c");
  const content = `${html}</div><script type="application/json" id="${ANSWERS_ID}">${json}</script>`;
  return page
    .replace(/<title>.*?<\/title>/, () => title + styleElement(css))
    .replace(PAGE_ELEMENT, () => PAGE_ELEMENT.replace("</div>", () => content));
}

export function pageLocation({ prefix = "" }: ApiInfo): string {
  return prefix === "" ? "explorer/" : `${prefix}${EXPLORER_PATH}/`;
}

export function registerExplorer(
  server: FastifyInstance,
  { explorer, prefix = "", hasOpenKeyRoutes }: ApiInfo,
  clock: Clock,
): void {
  if (explorer === undefined) return;
  let built: BuiltExplorer | undefined;
  const files = (): BuiltExplorer | undefined => {
    built ??= readBuild(explorer);
    return built;
  };

  const contents = new PageContents(server, prefix, explorer, clock);
  /** The requests of a rendered page lack the headers and the port that decide about key routes. */
  const hasSameAccess = (request: FastifyRequest): boolean =>
    !isOnAdminPort(request.raw) && !(hasOpenKeyRoutes && isFromForeignPage(request));
  const sendPage = async (
    request: FastifyRequest,
    reply: FastifyReply,
    path: string,
  ): Promise<FastifyReply> => {
    const build = files();
    if (build === undefined) return reply.code(503).type("text/plain; charset=utf-8").send(NOT_BUILT_TEXT);
    const query = request.query as URLSearchParams;
    const language = languageOf(request);
    const content =
      query.has("node") || !hasSameAccess(request)
        ? undefined
        : await contents.render(request, path, language);
    const styles = content === undefined ? [build.css] : [build.css, content.css];
    reply.headers({
      ...SECURITY_HEADERS,
      "content-security-policy": contentSecurityPolicy(query, styles),
      // Going back to a page must not show old answers.
      "cache-control": content === undefined ? "no-cache" : "no-store",
    });
    const theme = THEME.exec(cookieOf(request, "holdfast-theme") ?? "")?.[0];
    const htmlTag = `<html lang="${language}"${theme === undefined ? "" : ` data-theme="${theme}"`}>`;
    const depth = path.split("/").length - 1;
    const page = build.page
      .replace(HTML_TAG, htmlTag)
      .replace(BASE_TAG, `<base href="${"../".repeat(depth) || "./"}" />`);
    const body = content === undefined ? page : withContent(page, content);
    if (content === undefined && applyEntityTag(reply, entityTag(body))) return reply.send();
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
      const path = request.url.split("?")[0].slice(EXPLORER_PATH.length + 1);
      if (path.split("/").length > MAX_PATH_SEGMENTS || path.startsWith("assets/"))
        throw new ApiError(failures.notFound);
      return sendPage(request, reply, path);
    },
  });
}
