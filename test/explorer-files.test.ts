/** The built files of the explorer: small enough for a first view, and without references to other hosts. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";

const folder = join(import.meta.dirname, "..", "dist", "explorer");
const read = (path: string): string => readFileSync(join(folder, path), "utf8");
const assets = readdirSync(join(folder, "assets"));
const page = read("index.html");

/** Maximum compressed size of the first view without the answers of the API, bytes. */
const BUDGET = 110_000;
/** Maximum number of files of the first view, one of which is the page. */
const MAX_FILES = 8;
/** Scripts other than the event worker: start, main, other pages, codec, plots, Dutch, and the bundler's. */
const MAX_SCRIPTS = 7;

const NAMED = /(?:\.\/assets\/|\.\/)([\w.-]+\.(?:js|css|svg))/g;

/** The files that a text refers to. */
const namedIn = (text: string): string[] =>
  [...text.matchAll(NAMED)].map(([, name]) => name).filter((name) => assets.includes(name));

/** What a script loads at once, without lazy imports. */
function importedBy(name: string): string[] {
  const text = read(`assets/${name}`);
  return [...text.matchAll(/(?:\bfrom|\bimport)\s*"\.\/([\w.-]+)"/g)].map(([, file]) => file);
}

/** Everything that the page loads, the worker, and the code of plots. */
function firstView(): Set<string> {
  const later = assets.filter((name) => /^(event-worker|uPlot)[\w.]*-.*\.js$/.test(name));
  expect(later).toHaveLength(2);
  const found = new Set<string>();
  const waiting = [...namedIn(page), ...later];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    if (name.endsWith(".js")) waiting.push(...importedBy(name));
  }
  return found;
}

test("the first view is small", () => {
  const files = [...firstView()];
  // An empty search result would pass the size check.
  expect(files.length).toBeGreaterThan(4);
  expect(files.length).toBeLessThan(MAX_FILES);
  const sizes = files.map((name) => [name, gzipSync(read(`assets/${name}`)).length] as const);
  const total = sizes.reduce((sum, [, size]) => sum + size, gzipSync(page).length);
  expect(total, JSON.stringify(Object.fromEntries(sizes))).toBeLessThan(BUDGET);
});

test("the code is in few files", () => {
  const scripts = assets.filter((name) => name.endsWith(".js") && !name.startsWith("event-worker"));
  expect(scripts.length, scripts.join()).toBeLessThanOrEqual(MAX_SCRIPTS);
});

test("no file refers to another host", () => {
  // Ignore XML namespaces, which browsers do not fetch, and placeholders of addresses.
  const known =
    /^https?:\/\/(?:www\.w3\.org\/(?:1998|1999|2000)\/|w3id\.org\/|node\.example\.org|ANOTHER-NODE)/;
  for (const name of ["index.html", ...assets.map((asset) => `assets/${asset}`)]) {
    const urls = read(name).match(/\b(?:https?|wss?):\/\/[\w[][^\s"'`)]*/g) ?? [];
    expect(
      urls.filter((url) => !known.test(url)),
      name,
    ).toEqual([]);
    if (name.endsWith(".css")) expect(read(name), name).not.toMatch(/@import|url\(\s*["']?(?!data:|\.)/);
  }
});

test("the page has no inline scripts, and no text becomes a script", () => {
  for (const [, attributes, body] of page.matchAll(/<script\b([^>]*)>([\s\S]*?)<\/script>/g)) {
    expect(attributes).toContain(" src=");
    expect(body).toBe("");
  }
  expect(page).not.toMatch(/\son\w+=|\sstyle=|<style|javascript:/i);
  for (const name of assets.filter((asset) => asset.endsWith(".js")))
    expect(read(`assets/${name}`), name).not.toMatch(
      /\beval\(|\bnew Function\b|dangerouslySetInnerHTML:|\bdocument\.write\b/,
    );
});

test("file names contain hashes, and paths are relative", () => {
  for (const name of assets) expect(name).toMatch(/-[\w-]{8}\.(js|css|svg)$/);
  expect(page).toContain('<base href="./" />');
  for (const [, url] of page.matchAll(/(?:src|href)="([^"]*)"/g)) expect(url).toMatch(/^\.\.?\//);
});
