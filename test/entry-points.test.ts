/** docs/security.md lists every way into the node and the checks before any effect. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isKeyRoute, type Route } from "../src/api/route.ts";
import { routes } from "../src/api/routes/all.ts";
import { messageDefinitions } from "../src/peers/wire/message-definitions.ts";

const security = readFileSync(join(import.meta.dirname, "../docs/security.md"), "utf8");

/** First cells of the rows under a third-level heading, without the table's header. */
function listed(heading: string): readonly string[] {
  const [, rest] = security.split(`\n### ${heading}\n`);
  const rows = [...rest.split(/\n##/)[0].matchAll(/^\| ([^|]+) \| [^|]+ \| [^|]+ \|$/gm)];
  return rows.map(([, cell]) => cell).slice(2);
}

describe("the entry points of docs/security.md", () => {
  test("include every message that a peer may send, and no other", () => {
    const names = listed("Peers").map((cell) => /^`(\w+)`/.exec(cell)?.[1]);
    const messages = Object.keys(messageDefinitions);
    expect(new Set(names)).toEqual(new Set(["Handshake", ...messages]));
  });

  test("include every route other than GET that needs no key, and no other", () => {
    const named = listed("HTTP").flatMap((cell) =>
      [...cell.matchAll(/`([A-Z]+ \/[^`]*)`/g)].map(([, name]) => name),
    );
    const open = (routes as readonly Route[]).filter((route) => !isKeyRoute(route) && route.method !== "GET");
    expect(named.toSorted()).toEqual(open.map(({ method, path }) => `${method} ${path}`).toSorted());
  });
});
