import { expect, test } from "vitest";
import { ScriptedNode, settled } from "../testing/scripted-node.ts";
import { EventHub, type HubMessage } from "./event-hub.ts";
import { eventsThroughHub, type HubPort } from "./shared-events.ts";

const URL_OF_EVENTS = "http://node/events?events=block";

/** Tabs that share a hub. */
function start() {
  const node = new ScriptedNode();
  const hub = new EventHub(node.fetch);
  const failures: (() => void)[] = [];
  const tab = () => {
    let listen: (message: HubMessage) => void = () => {};
    const receive = hub.connect((message) => queueMicrotask(() => listen(message)));
    const port: HubPort = {
      post: receive,
      onMessage: (listener) => {
        listen = listener;
      },
      onFailure: (listener) => failures.push(listener),
    };
    const fetch = eventsThroughHub(port, node.fetch);
    return async (since?: string) => {
      const end = new AbortController();
      const url = since === undefined ? URL_OF_EVENTS : `${URL_OF_EVENTS}&since=${since}`;
      const opened = fetch(url, { headers: {}, signal: end.signal });
      const seen = { text: "", status: 0, isEnded: false, close: () => end.abort() };
      void opened
        .then(async ({ status, body }) => {
          seen.status = status;
          for await (const chunk of body ?? []) seen.text += new TextDecoder().decode(chunk);
        })
        .catch(() => {})
        .then(() => {
          seen.isEnded = true;
        });
      await settled();
      return seen;
    };
  };
  return { node, tab, fail: () => failures.map((failure) => failure()) };
}

test("all tabs share one stream, which ends with the last of them", async () => {
  const { node, tab } = start();
  const first = await tab()();
  node.stream.tell("1.0.a.0");
  node.stream.tell("2.0.b.0", "block", { height: 2 });
  await settled();
  const second = await tab()();
  node.stream.tell("3.0.c.0", "block", { height: 3 });
  await settled();
  expect(node.streams).toHaveLength(1);
  const third = 'event: block\nid: 3.0.c.0\ndata: {"height":3}\n\n';
  expect(first.text).toBe(`id: 1.0.a.0\n\nevent: block\nid: 2.0.b.0\ndata: {"height":2}\n\n${third}`);
  // A new stream begins with the newest id, as the node's own streams do.
  expect(second.text).toBe(`id: 2.0.b.0\n\n${third}`);
  first.close();
  await settled();
  expect(node.stream.isEnded).toBe(false);
  second.close();
  await settled();
  expect(node.stream.isEnded).toBe(true);
  await tab()();
  expect(node.streams).toHaveLength(2);
});

test("a tab that comes back gets what it missed, or learns that it missed too much", async () => {
  const { node, tab } = start();
  await tab()();
  node.stream.tell("1.0.a.0");
  for (const height of [2, 3, 4]) node.stream.tell(`${height}.0.x.0`, "block", { height });
  await settled();
  expect((await tab()("2.0.x.0")).text).toMatch(
    /^event: block\nid: 3\.0[\s\S]*id: 4\.0[\s\S]*id: 4\.0\.x\.0\n\n$/,
  );
  expect((await tab()("1.0.a.0")).text).toMatch(/^id: 1\.0[\s\S]*id: 2\.0|^event: block\nid: 2\.0/);
  expect((await tab()("0.0.gone.0")).text).toMatch(
    /^event: gap\nid: 4\.0\.x\.0\ndata: \{"since":"0\.0\.gone/,
  );
  for (let height = 5; height < 3_000; height++) {
    node.stream.tell(`${height}.0.x.0`, "block", { height });
    if (height % 100 === 0) await settled();
  }
  await settled();
  expect((await tab()("2.0.x.0")).text).toMatch(/^event: gap/);
});

test("a tab that reads everything stays connected", async () => {
  const { node, tab } = start();
  const seen = await tab()();
  for (let height = 1; height <= 1_200; height++) {
    node.stream.tell(`${height}.0.x.0`, "block", { height });
    if (height % 100 === 0) await settled();
  }
  await settled();
  expect(seen.isEnded).toBe(false);
  expect(seen.text).toContain("id: 1200.0.x.0");
});

test("all tabs learn when the node refuses or ends the stream", async () => {
  const { node, tab } = start();
  node.eventsStatus = 429;
  expect(await tab()()).toMatchObject({ status: 429, isEnded: true });
  node.eventsStatus = 200;
  const [first, second] = [await tab()(), await tab()()];
  node.stream.tell("1.0.a.0");
  await settled();
  node.stream.end();
  await settled();
  expect(first).toMatchObject({ status: 200, isEnded: true });
  expect(second).toMatchObject({ status: 200, isEnded: true });
  node.isThere = false;
  expect(await tab()()).toMatchObject({ status: 0, isEnded: true });
});

test("a tab opens its own stream if the worker cannot be started", async () => {
  const { node, tab, fail } = start();
  const open = tab();
  fail();
  const seen = await open();
  node.stream.tell("1.0.a.0");
  await settled();
  expect(seen.text).toBe("id: 1.0.a.0\n\n");
});
