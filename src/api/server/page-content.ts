/**
 * Renders the explorer's pages with the answers of this node's API, so that a browser shows them before it has loaded
 * the scripts. The requests count as the browser's own.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { PROXY_HEADERS } from "../../http/access/proxies.ts";
import { header } from "../../http/requests/headers.ts";
import type { Clock } from "../../interfaces.ts";
import type {
  EmbeddedAnswer,
  PageRequest,
  RenderedLanguage,
  RenderedPage,
  RenderPage,
} from "./page-renderer.ts";

/** After a page is rendered, browsers render the next ones for this many times as long. */
const PAUSE_FACTOR = 3;
/** After this time, the browser renders the page. */
const RENDER_TIMEOUT_MS = 1_000;
/** Pages with larger answers are rendered by the browser. Characters. Rendering cannot pause. */
const MAX_EMBEDDED = 400_000;

/** Decide who sends the request, and what the node may answer. */
const FORWARDED_HEADERS = ["host", ...PROXY_HEADERS];

/** Headers of answers that the page needs. */
const KEPT_HEADER = /^(content-type$|x-)/;

/**
 * Returns true for an error that the explorer's code threw outside the promise of the page that is rendered. Such an error
 * affects no other request.
 */
export const isFaultOfRenderedPage = (error: unknown): boolean =>
  error instanceof Error && /\/explorer\/server\/\w+\.js:\d/.test(error.stack ?? "");

function forwardedHeaders({ headers }: FastifyRequest): Record<string, string> {
  const values = FORWARDED_HEADERS.map((name) => [name, header(headers, name)] as const);
  return Object.fromEntries(values.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

export interface PageContent extends RenderedPage {
  readonly answers: readonly EmbeddedAnswer[];
}

export class PageContents {
  readonly #server: FastifyInstance;
  readonly #prefix: string;
  readonly #folder: string;
  readonly #clock: Clock;
  /** Of the monotonic clock, ms; infinite while a page is being rendered. */
  #pauseEnd = 0;

  /** @param folder of the built explorer */
  constructor(server: FastifyInstance, prefix: string, folder: string, clock: Clock) {
    this.#server = server;
    this.#clock = clock;
    this.#prefix = prefix;
    this.#folder = join(folder, "server");
  }

  /** @returns undefined if the browser has to render the page */
  async render(
    request: FastifyRequest,
    path: string,
    language: RenderedLanguage,
  ): Promise<PageContent | undefined> {
    const host = `http://${header(request.headers, "host")}`;
    if (this.#clock.monotonic() < this.#pauseEnd || !URL.canParse(host) || !existsSync(this.#folder))
      return undefined;
    // In the form that links have.
    const url = `${new URL(host).origin}${this.#prefix}/`;
    const startedAt = this.#clock.monotonic();
    this.#pauseEnd = Number.POSITIVE_INFINITY;
    // The first page waits for the code: the timeout does not include it.
    const renderer = await this.#renderer(language).catch(() => undefined);
    // It cannot be loaded: no page is rendered.
    if (renderer === undefined) return undefined;
    const content = this.#render(request, url, path, renderer)
      // The browser tries again, and reports the failure.
      .catch(() => undefined)
      .finally(() => {
        const now = this.#clock.monotonic();
        this.#pauseEnd = now + PAUSE_FACTOR * (now - startedAt);
      });
    let cancel = (): void => {};
    const timeout = new Promise<undefined>((resolve) => {
      cancel = this.#clock.after(RENDER_TIMEOUT_MS, () => resolve(undefined));
    });
    try {
      return await Promise.race([content, timeout]);
    } finally {
      cancel();
    }
  }

  /** Each language has its own instance of the code. */
  async #renderer(language: RenderedLanguage): Promise<RenderPage> {
    const { href } = pathToFileURL(join(this.#folder, `${language}.js`));
    // Safe cast: the build of the explorer's `server.tsx`.
    return ((await import(href)) as { readonly renderPage: RenderPage }).renderPage;
  }

  async #render(
    request: FastifyRequest,
    url: string,
    path: string,
    renderPage: RenderPage,
  ): Promise<PageContent | undefined> {
    const answers: EmbeddedAnswer[] = [];
    let size = 0;
    let isLimited = false;
    const fetch: PageRequest["fetch"] = async (target, init) => {
      if (isLimited) throw new Error("The browser renders this page");
      const answerPath = target.slice(url.length);
      const answer = await this.#server.inject({
        url: `${this.#prefix}/${answerPath}`,
        headers: { ...init.headers, ...forwardedHeaders(request) },
        ...(request.socket.remoteAddress === undefined
          ? {}
          : { remoteAddress: request.socket.remoteAddress }),
      });
      const { statusCode: status } = answer;
      size += answer.body.length;
      // Before the page parses the answer, which would delay other requests.
      isLimited ||= status === 429 || size > MAX_EMBEDDED;
      if (isLimited) throw new Error("The browser renders this page");
      const kept = Object.entries(answer.headers).filter(([name]) => KEPT_HEADER.test(name));
      const headers = Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
      if (headers["content-type"]?.startsWith("application/json"))
        answers.push([answerPath, status, headers, answer.body]);
      return new Response(new Uint8Array(answer.rawPayload), { status, headers });
    };
    const page = await renderPage({ url, path, query: request.query as URLSearchParams, fetch });
    return isLimited ? undefined : { ...page, answers };
  }
}
