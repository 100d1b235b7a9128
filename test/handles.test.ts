/** A whole node with few file handles, like the default of a service. */
import { once } from "node:events";
import { existsSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { nodeFixture } from "./support/node-fixture.ts";
import { heightOf, runCli, until } from "./support/node-process.ts";

const { folder, start } = nodeFixture("handles");
const sockets: Socket[] = [];

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

test("half-sent requests neither stop the node nor prevent it from answering", async () => {
  // No node listens there, so the dialler lists the machine's own addresses repeatedly.
  const args = ["--p2p", "--p2p-port", "0", "--peers", "127.0.0.1:9"];
  const node = await start({ args, handles: 300 });
  const half = async (i: number): Promise<void> => {
    const port = Number(new URL(node.url).port);
    const socket = connect({ host: "127.0.0.1", port, localAddress: `127.0.0.${(i % 60) + 2}` });
    sockets.push(socket);
    socket.on("error", () => {});
    await Promise.race([once(socket, "connect"), once(socket, "close")]);
    socket.write("GET /blocks/height HTTP/1.1\r\nHost: x\r\n");
  };
  for (let i = 0; i < 500; i += 50) await Promise.all(Array.from({ length: 50 }, (_, j) => half(i + j)));
  await until("a block", async () => (await heightOf(node)) > 1 || undefined);
  expect(node.output()).toMatch(/may open only 300 files and connections: that leaves \d+ for HTTP/);
  expect(node.output()).not.toMatch(/EMFILE|"error"/);
  expect(await node.stop()).toBe(0);
});

test("a start with too few handles fails with one line and creates nothing", async () => {
  const dataDir = join(folder(), "new");
  const { code, stderr } = await runCli(["start", "--data-dir", dataDir, "--api-port", "0"], {}, 100);
  expect(code).toBe(8);
  expect(stderr).toMatch(
    /^The process may open only 100 files and connections, but the node needs \d+: raise .*\n$/,
  );
  expect(existsSync(dataDir)).toBe(false);
});
