import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NOW, plainBody, testServer } from "../testing/server.ts";
import { isFaultOfRenderedPage } from "./page-content.ts";

const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
const script = `"${"x".repeat(3_000)}";`;
let folder: string;
let server: FastifyInstance;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "explorer-"));
  mkdirSync(join(folder, "assets"));
  writeFileSync(join(folder, "index.html"), '<!doctype html><base href="./" /><title>x</title>');
  writeFileSync(join(folder, "assets", "index-1a2b.js"), script);
  writeFileSync(join(folder, "assets", "icon-3c4d.svg"), "<svg/>");
  writeFileSync(join(folder, "secret"), "not to be seen");
  server = await testServer({ info: { explorer: folder, compressFrom: 1_000 } });
});

afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

const get = (url: string, headers: Record<string, string> = {}) => server.inject({ url, headers });

describe("the explorer page", () => {
  it.each([
    ["/explorer/", "./"],
    ["/explorer/?node=x", "./"],
    ["/explorer/forgers", "./"],
    ["/explorer/block/5", "../"],
    ["/explorer/block/5/", "../../"],
    ["/explorer/identity/did%3Alto%3A3N%2Fx", "../"],
    ["/explorer//x", "../"],
  ])("is served at %s with base %s", async (url, base) => {
    const answer = await get(url);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(answer.body).toContain(`<base href="${base}" />`);
    expect(answer.headers["cache-control"]).toBe("no-cache");
    // A browser must resolve it to the path of the page.
    expect(new URL(base, `http://host/some/prefix${url}`).pathname).toBe("/some/prefix/explorer/");
  });

  it("blocks inline scripts and other hosts", async () => {
    const { headers } = await get("/explorer/");
    expect(headers["content-security-policy"]).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
        "base-uri 'self'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(headers["x-content-type-options"]).toBe("nosniff");
    expect(headers["referrer-policy"]).toBe("no-referrer");
  });

  it.each([
    ["https://node.example.org:8443/path", "'self' https://node.example.org:8443"],
    ["http://[::1]:6869", "'self' http://[::1]:6869"],
    ["javascript:alert(1)", "'self'"],
    ["data:text/html,x", "'self'"],
    ["http://a;script-src *", "'self'"],
    ["http://a;b", "'self'"],
    ["http://a,b", "'self'"],
    ["http://*", "'self'"],
    ["nothing", "'self'"],
  ])("may connect to the node that the query names: %s", async (node, allowed) => {
    const { headers } = await get(`/explorer/?node=${encodeURIComponent(node)}`);
    expect(headers["content-security-policy"]).toContain(`connect-src ${allowed}; base-uri`);
  });

  it("is not sent again to a client that has it", async () => {
    const first = await get("/explorer/block/5");
    const tag = String(first.headers.etag);
    const again = await get("/explorer/block/6", { "if-none-match": tag });
    expect(again.statusCode).toBe(304);
    expect(again.body).toBe("");
    expect(again.headers["content-security-policy"]).toBe(first.headers["content-security-policy"]);
    // Other pages have another base.
    expect((await get("/explorer/", { "if-none-match": tag })).statusCode).toBe(200);
  });

  it("loads immutable, compressible files", async () => {
    const plain = await get("/explorer/assets/index-1a2b.js");
    expect(plain.body).toBe(script);
    expect(plain.headers).toMatchObject({
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": "public, max-age=31536000, immutable",
      "x-content-type-options": "nosniff",
    });
    const shorter = await get("/explorer/assets/index-1a2b.js", { "accept-encoding": "br" });
    expect(shorter.headers["content-encoding"]).toBe("br");
    expect(plainBody(shorter)).toBe(script);
    expect((await get("/explorer/assets/icon-3c4d.svg")).headers["content-type"]).toBe("image/svg+xml");
  });

  it("answers HEAD with the same headers", async () => {
    for (const url of ["/explorer/", "/explorer/assets/index-1a2b.js"]) {
      const { date: _, ...headers } = (await server.inject({ method: "HEAD", url })).headers;
      expect((await get(url)).headers).toMatchObject(headers);
    }
  });

  it.each([
    "/explorer/assets/",
    "/explorer/assets/nothing.js",
    "/explorer/assets/x/y",
    "/explorer/assets/..%2findex.html",
    "/explorer/assets/..%2fsecret",
    "/explorer/assets/..%2f..%2f..%2fetc%2fpasswd",
    "/explorer/assets/%2fetc%2fpasswd",
    "/explorer/assets/constructor",
    "/explorer/a/b/c/d/e/f/g/h/i/j",
    "/explorerer",
  ])("answers 404 for %s", async (url) => {
    const answer = await get(url);
    expect(answer.statusCode).toBe(404);
    expect(answer.body).not.toContain("secret");
  });

  it("is the target of redirects that keep the query", async () => {
    const answer = await get("/explorer?node=http://a");
    expect(answer.statusCode).toBe(308);
    expect(answer.headers.location).toBe("explorer/?node=http://a");
  });

  it("works below a prefix", async () => {
    const prefixed = await testServer({ info: { explorer: folder, prefix: "/node" } });
    const page = await prefixed.inject({ url: "/node/explorer/block/5" });
    expect(page.body).toContain('<base href="../" />');
    const root = await prefixed.inject({ url: "/node", headers: { accept: BROWSER } });
    expect(root.headers.location).toBe("/node/explorer/");
    expect((await prefixed.inject({ url: "/explorer/" })).statusCode).toBe(404);
    await prefixed.close();
  });

  it("explains how to build it", async () => {
    const unbuilt = await testServer({ info: { explorer: join(folder, "nowhere") } });
    const answer = await unbuilt.inject({ url: "/explorer/" });
    expect(answer.statusCode).toBe(503);
    expect(answer.body).toContain("Build Holdfast with Node.js 20.19, 22.12 or newer");
    expect((await unbuilt.inject({ url: "/explorer/assets/x.js" })).statusCode).toBe(404);
    await unbuilt.close();
  });

  it("is 404 when disabled", async () => {
    const without = await testServer();
    expect((await without.inject({ url: "/explorer/" })).statusCode).toBe(404);
    const root = await without.inject({ url: "/", headers: { accept: BROWSER } });
    expect(root.statusCode).toBe(308);
    expect(root.headers.vary).toBeUndefined();
    await without.close();
  });
});

describe("a page that the node renders", () => {
  const rendered = `
    const language = import.meta.url.slice(-5, -3);
    export const renderPage = async ({ url, path, query, fetch }) => {
      if (path === "broken") throw new Error("broken");
      if (path === "late") void Promise.reject(new Error("late"));
      const target = { missing: "x?</script>", operator: "debug/minerInfo", large: "node/version" }[path] ?? "blocks/height";
      const answer = await fetch(url + target, { headers: {} });
      if (path === "large") globalThis.hasReadLargeAnswer = true;
      const html = "<main>" + language + " " + (await answer.text()) + " " + query.get("q") + " " + url + "</main>";
      return { title: "<title>" + path + "</title>", html, css: "a{}" };
    };`;
  let renderingFolder: string;
  let rendering: FastifyInstance;

  beforeAll(async () => {
    renderingFolder = join(mkdtempSync(join(tmpdir(), "explorer-")), "explorer");
    for (const name of ["assets", "server"]) mkdirSync(join(renderingFolder, name), { recursive: true });
    const link = '<link rel="stylesheet" crossorigin href="./assets/style-5e6f.css">';
    const body = '<body><div id="page"></div></body>';
    writeFileSync(
      join(renderingFolder, "index.html"),
      `<!doctype html><html lang="en"><base href="./" /><title>x</title>${link}${body}</html>`,
    );
    writeFileSync(join(renderingFolder, "assets", "style-5e6f.css"), "b{}");
    for (const language of ["en", "nl"])
      writeFileSync(join(renderingFolder, "server", `${language}.js`), rendered);
    rendering = await testServer({ info: { explorer: renderingFolder } });
  });

  afterAll(async () => {
    await rendering.close();
    rmSync(dirname(renderingFolder), { recursive: true });
  });

  const open = (url: string, headers: Record<string, string> = {}) =>
    rendering.inject({ url: `/explorer/${url}`, headers: { host: "node", ...headers } });
  const answersOf = (body: string): unknown =>
    JSON.parse(/<script type="application\/json" id="answers">(.*?)<\/script>/.exec(body)?.[1] ?? "null");

  it("contains its content and the answers", async () => {
    const { body, headers } = await open("block/5?q=1");
    expect(body).toMatch(/<div id="page"><main>en \{"height":\d+\} 1 http:\/\/node\/<\/main><\/div>/);
    expect(body).toContain("<title>block/5</title><style>a{}</style><style>b{}</style>");
    expect(answersOf(body)).toEqual([
      [
        "blocks/height",
        200,
        expect.objectContaining({ "content-type": "application/json" }),
        expect.any(String),
      ],
    ]);
    expect(headers["cache-control"]).toBe("no-store");
    const hashes = ["b{}", "a{}"].map((css) => createHash("sha256").update(css).digest("base64"));
    const styles = hashes.map((hash) => ` 'sha256-${hash}'`).join("");
    expect(headers["content-security-policy"]).toContain(`style-src 'self'${styles};`);
  });

  it("keeps the text of an answer inside its element", async () => {
    const { body } = await open("missing");
    expect(body.match(/<\/script>/g)).toHaveLength(1);
    expect(answersOf(body)).toEqual([["x?</script>", 404, expect.anything(), expect.anything()]]);
  });

  it.each([
    [{}, '<html lang="en">', "en"],
    [{ "accept-language": "fr, nl-BE;q=0.8, en;q=0.5" }, '<html lang="nl">', "nl"],
    [{ "accept-language": "nl", cookie: "x=y; holdfast-language=en" }, '<html lang="en">', "en"],
    [{ cookie: "holdfast-theme=dark" }, '<html lang="en" data-theme="dark">', "en"],
    [{ cookie: 'holdfast-theme="><script>; holdfast-language=xx' }, '<html lang="en">', "en"],
  ])("has the language and theme of %j", async (headers, tag, language) => {
    const { body } = await open("", headers);
    expect(body).toContain(tag);
    expect(body).toContain(`<main>${language} `);
  });

  it.each(["broken", "?node=http://other"])("is left to the browser: %s", async (url) => {
    const { body, headers } = await open(url);
    expect(body).toContain('<div id="page"></div>');
    expect(answersOf(body)).toBeNull();
    expect(headers["cache-control"]).toBe("no-cache");
  });

  it("does not end the thread by a rejection that it does not handle", async () => {
    const others = process.rawListeners("unhandledRejection") as NodeJS.UnhandledRejectionListener[];
    process.removeAllListeners("unhandledRejection");
    try {
      const rejected = new Promise((resolve) => process.once("unhandledRejection", resolve));
      expect((await open("late")).body).toContain("<main>en ");
      const error = await rejected;
      expect(error).toMatchObject({ message: "late" });
      expect(isFaultOfRenderedPage(error)).toBe(true);
    } finally {
      for (const listener of others) process.on("unhandledRejection", listener);
    }
    expect(isFaultOfRenderedPage(new Error("of the node"))).toBe(false);
  });

  it("is left to the browser if the code for rendering is not installed completely", async () => {
    const folder = mkdtempSync(join(tmpdir(), "explorer-"));
    for (const name of ["index.html", "assets"])
      cpSync(join(renderingFolder, name), join(folder, name), { recursive: true });
    const server = await testServer({ info: { explorer: folder } });
    const isServed = async (): Promise<boolean> =>
      (await server.inject({ url: "/explorer/" })).body.includes('<div id="page"></div>');
    expect(await isServed()).toBe(true);
    mkdirSync(join(folder, "server"));
    expect(await isServed()).toBe(true);
    await server.close();
    rmSync(folder, { recursive: true });
  });

  it.each(["NODE", "node:80", "user@node", "node?x", "node/x"])(
    "has links to the node's origin for the host %s",
    async (host) => {
      expect((await open("", { host })).body).toContain(" http://node/</main>");
    },
  );

  it("has no answers of open key routes if a page of another site reads it", async () => {
    const info = { explorer: renderingFolder, apiKeyHash: undefined, hasOpenKeyRoutes: true };
    const unlocked = await testServer({ info });
    const read = (headers: Record<string, string>) =>
      unlocked.inject({ url: "/explorer/operator", headers: { host: "127.0.0.1", ...headers } });
    const foreign: Record<string, string>[] = [
      { origin: "http://evil.example" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
    ];
    for (const headers of foreign) expect(answersOf((await read(headers)).body)).toBeNull();
    expect(answersOf((await read({ "sec-fetch-site": "none" })).body)).toEqual([
      ["debug/minerInfo", 200, expect.anything(), expect.any(String)],
    ]);
    await unlocked.close();
  });

  it("is left to the browser on the admin port, whose key routes the node's requests cannot reach", async () => {
    const divided = await testServer({ info: { explorer: renderingFolder, hasAdminPort: true } });
    const { adminServer } = divided;
    await new Promise<void>((resolve) => adminServer?.listen(0, "127.0.0.1", resolve));
    const address = adminServer?.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const page = await fetch(`http://127.0.0.1:${port}/explorer/`);
    expect(answersOf(await page.text())).toBeNull();
    expect(answersOf((await divided.inject({ url: "/explorer/" })).body)).not.toBeNull();
    adminServer?.close();
    await divided.close();
  });

  it("is left to the browser if an answer is too large, before the page reads it", async () => {
    const info = { explorer: renderingFolder, version: "x".repeat(400_001) };
    const large = await testServer({ info });
    const { body } = await large.inject({ url: "/explorer/large" });
    expect(body).toContain('<div id="page"></div>');
    expect(globalThis).not.toHaveProperty("hasReadLargeAnswer");
    await large.close();
  });

  it("is left to the browser for three times as long as the last one took", async () => {
    let now = 0;
    const monotonic = (): number => {
      now += 10;
      return now;
    };
    const clock = { now: () => NOW, system: () => NOW, monotonic, after: () => () => {} };
    const busy = await testServer({ info: { explorer: renderingFolder }, clock });
    const isRendered = async (): Promise<boolean> =>
      answersOf((await busy.inject({ url: "/explorer/" })).body) !== null;
    expect(await isRendered()).toBe(true);
    expect(await isRendered()).toBe(false);
    now += 100_000;
    expect(await isRendered()).toBe(true);
    await busy.close();
  });
});

describe("GET /", () => {
  it.each([
    [BROWSER, 302],
    ["text/html", 302],
    ["text/html;q=0.9, application/json", 308],
    ["application/json, text/html", 308],
    ["application/json", 308],
    ["*/*", 308],
    ["text/html/x", 308],
    ["", 308],
  ])(
    "leads who takes '%s' to the page or, as page 06 says, to the documentation: %i",
    async (accept, status) => {
      const answer = await get("/", accept === "" ? {} : { accept });
      expect(answer.statusCode).toBe(status);
      expect(answer.headers.location).toBe(status === 302 ? "explorer/" : "/api-docs/index.html");
      expect(answer.headers.vary).toBe("Accept");
    },
  );

  it("redirects other methods to the documentation", async () => {
    for (const method of ["POST", "OPTIONS", "DELETE"] as const)
      expect((await server.inject({ method, url: "/", headers: { accept: BROWSER } })).statusCode).toBe(308);
  });
});
