import { expect, test } from "vitest";
import type { LogArea, LogLevel } from "../../../control/index.ts";
import { dev } from "../../../profiles/index.ts";
import { fakeControl } from "../../testing/control.ts";
import { API_KEY, testServer } from "../../testing/server.ts";

async function withServer(
  work: (
    put: (body: string, key?: string) => Promise<{ status: number; body: { message?: string } }>,
    calls: [LogLevel, LogArea | undefined][],
  ) => Promise<void>,
) {
  const calls: [LogLevel, LogArea | undefined][] = [];
  const control = fakeControl([], dev.chainId);
  const server = await testServer({
    control: {
      ...control,
      node: {
        ...control.node,
        setLogLevel: async (level, area) => {
          calls.push([level, area]);
          return { level: "info", areas: area === undefined ? {} : { [area]: level } };
        },
      },
    },
  });
  const put = async (payload: string, key: string = API_KEY) => {
    const headers = { "x-api-key": key, host: "localhost", "content-type": "application/json" };
    const answer = await server.inject({ method: "PUT", url: "/node/log-level", headers, payload });
    return { status: answer.statusCode, body: JSON.parse(answer.body) };
  };
  await work(put, calls);
  await server.close();
}

test("sets the level of the node or of one area", () =>
  withServer(async (put, calls) => {
    expect(await put('{"level":"debug","area":"peers"}')).toEqual({
      status: 200,
      body: { level: "info", areas: { peers: "debug" } },
    });
    expect((await put('{"level":"warn"}')).status).toBe(200);
    expect(calls).toEqual([
      ["debug", "peers"],
      ["warn", undefined],
    ]);
  }));

test("refuses an unknown level or area, names it, and changes nothing", () =>
  withServer(async (put, calls) => {
    const level = await put('{"level":"loud"}');
    expect(level).toMatchObject({ status: 400 });
    expect(level.body.message).toBe(
      'Unknown log level "loud": use one of trace, debug, info, warn, error, off',
    );
    const area = await put('{"level":"debug","area":"piers"}');
    expect(area).toMatchObject({ status: 400 });
    expect(area.body.message).toContain('Unknown log area "piers": use one of node, chain');
    for (const body of ["{}", '{"level":3}', '{"level":"info","area":null}', "[", "3"])
      expect((await put(body)).status, body).toBe(400);
    expect((await put('{"level":"info"}', "wrong")).status).toBe(403);
    expect(calls).toEqual([]);
  }));
