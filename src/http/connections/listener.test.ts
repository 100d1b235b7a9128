/** A separate port for key routes, and the request log, over real sockets. */
import { connect } from "node:net";
import { MessageChannel } from "node:worker_threads";
import { afterEach, describe, expect, it } from "vitest";
import type { ApiInfo } from "../../api/info.ts";
import { answerControl } from "../../api/ports/control-port.ts";
import { isKeyRoute } from "../../api/route.ts";
import { routes } from "../../api/routes/all.ts";
import { type RunningApi, serveOnPort } from "../../api/server/serve-on-port.ts";
import { fakeControl } from "../../api/testing/control.ts";
import { API_KEY, type MemoryLog, memoryLog, testInfo } from "../../api/testing/server.ts";
import { emptyBlock, fakeChain, fakeReader, fakeSnapshot } from "../../api/testing/snapshot.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";

const HOST = "127.0.0.1";
const key = { "x-api-key": API_KEY };
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function serve(
  info: Partial<ApiInfo> = {},
  adminPort: number | "none" = 0,
): Promise<RunningApi & { readonly log: MemoryLog; readonly public: string; readonly admin: string }> {
  const control = new MessageChannel();
  const events = new MessageChannel();
  const clock = new VirtualClock(1_000);
  const whole = testInfo(info);
  answerControl(control.port1, fakeControl([], whole.network.chainId), clock);
  const log = memoryLog();
  const api = await serveOnPort({
    port: control.port2,
    events: events.port2,
    reader: fakeReader(fakeSnapshot(fakeChain([emptyBlock(1), emptyBlock(2)]))),
    info: whole,
    clock,
    log,
    host: HOST,
    apiPort: 0,
    admin: adminPort === "none" ? undefined : { host: HOST, port: adminPort },
    requestLog: log,
  });
  closing.push(async () => {
    await api.close();
    control.port1.close();
    events.port1.close();
  });
  return {
    ...api,
    log,
    public: `http://${HOST}:${api.apiPort}`,
    admin: `http://${HOST}:${api.adminPort}`,
  };
}

describe("key routes on their own port", () => {
  it("are served with all other routes there, and are 404 on the other port", async () => {
    const node = await serve();
    const status = async (url: string, init: RequestInit = {}) => (await fetch(url, init)).status;
    expect(await status(`${node.admin}/blocks/height`)).toBe(200);
    expect(await status(`${node.public}/blocks/height`)).toBe(200);
    const guarded = routes.filter(isKeyRoute);
    expect(guarded.length).toBeGreaterThan(15);
    for (const route of guarded) {
      const path = `${route.path.replace(/:(howMany|height)/, "1").replace(/:\w+/g, "x")}?full=true`;
      const init = { method: route.method, ...(route.method === "POST" ? { body: "{" } : {}) };
      expect(await status(`${node.public}${path}`, { ...init, headers: key }), path).toBe(404);
      expect(await status(`${node.admin}${path}`, init), path).toBe(403);
    }
    expect(await status(`${node.admin}/debug/minerInfo`, { headers: key })).toBe(200);
  });

  it("are not revealed by the answer to a wrong method", async () => {
    const node = await serve();
    const ask = async (base: string, path: string) => {
      const answer = await fetch(base + path, { method: "PUT" });
      return [answer.status, answer.headers.get("allow")];
    };
    expect(await ask(node.public, "/node/stop")).toEqual([404, null]);
    expect(await ask(node.admin, "/node/stop")).toEqual([405, "POST"]);
    // Listing addresses needs no key, adding them does.
    expect(await ask(node.public, "/wallet/addresses")).toEqual([405, "GET"]);
    expect(await ask(node.admin, "/wallet/addresses")).toEqual([405, "GET, POST"]);
  });

  it("are open if key routes are open to local programs", async () => {
    const node = await serve({ apiKeyHash: undefined, hasOpenKeyRoutes: true });
    expect((await fetch(`${node.admin}/debug/minerInfo`)).status).toBe(200);
    expect((await fetch(`${node.public}/debug/minerInfo`)).status).toBe(404);
  });

  it("fail to start if the port is in use, and close everything", async () => {
    const node = await serve();
    await expect(serve({}, node.apiPort)).rejects.toMatchObject({ code: "EADDRINUSE" });
  });

  it("answer invalid HTTP like the other port", async () => {
    const node = await serve();
    const said = await new Promise<string>((resolve, reject) => {
      const socket = connect(node.adminPort ?? 0, HOST, () => socket.write("nonsense\r\n\r\n"));
      let text = "";
      socket.on("data", (data) => {
        text += data;
      });
      socket.on("error", reject);
      socket.on("close", () => resolve(text));
    });
    expect(said).toMatch(/^HTTP\/1\.1 501 unsupported method\r\n/);
  });
});

describe("the log of requests", () => {
  it("has method, route, status, time and bytes, and no secrets", async () => {
    const node = await serve({}, "none");
    const secret = "sesame";
    await fetch(`${node.public}/blocks/height?access_token=${secret}`, { headers: { "x-api-key": secret } });
    await fetch(`${node.public}/addresses/balance/${secret}`);
    await fetch(`${node.public}/${secret}/nothing`);
    await fetch(`${node.public}/utils/hash/secure`, { method: "POST", body: secret });
    await fetch(`${node.public}/debug/minerInfo`, { headers: { authorization: `Bearer ${secret}` } });
    await node.close();
    const requests = node.log.lines.filter((line) => line.startsWith("request "));
    expect(requests.map((line) => line.replace(/"bytes":[1-9]\d+/, '"bytes":N'))).toEqual(
      [
        '"method":"GET","route":"/blocks/height","status":200',
        '"method":"GET","route":"/addresses/balance/:address","status":400',
        '"method":"GET","route":"none","status":404',
        '"method":"POST","route":"/utils/hash/secure","status":200',
        '"method":"GET","route":"/debug/minerInfo","status":403',
      ].map((facts) => `request {${facts},"ms":0,"bytes":N}`),
    );
    expect(node.log.lines.join()).not.toContain(secret);
  });
});
