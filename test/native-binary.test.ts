/** All threads of a node load the same binary of lmdb: two in one process would break each other's locks. */
import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { removeFolder, startNodeProcess, temporaryFolder } from "./support/node-process.ts";

const folder = temporaryFolder("native");
afterAll(() => removeFolder(folder));

/** Files of lmdb that a process has loaded. */
function loadedBinaries(pid: number): readonly string[] {
  const paths = readFileSync(`/proc/${pid}/maps`, "utf8").matchAll(/\/\S*lmdb\S*\.node$/gm);
  return [...new Set(Array.from(paths, ([path]) => path))];
}

test.skipIf(process.platform !== "linux")(
  "every thread loads the binary that LMDB_PREBUILD names",
  async () => {
    const { platform, arch, versions } = process;
    const lmdb = createRequire(import.meta.resolve("lmdb"));
    const packaged = dirname(lmdb.resolve(`@lmdb/lmdb-${platform}-${arch}`));
    const names = [`node.abi${versions.modules}.glibc.node`, "node.napi.glibc.node"];
    const name = names.find((file) => existsSync(join(packaged, file))) ?? "";
    const own = join(folder, "lmdb");
    mkdirSync(join(own, "build/Release"), { recursive: true });
    copyFileSync(join(packaged, name), join(own, "build/Release", name));
    const node = await startNodeProcess({ dataDir: join(folder, "data"), env: { LMDB_PREBUILD: own } });
    try {
      // Reader threads answer this route.
      expect((await node.get("/blocks/seq/1/1")).status).toBe(200);
      const [loaded, ...others] = loadedBinaries(node.pid);
      expect(loaded).toBe(join(own, "build/Release", name));
      expect(others).toEqual([]);
    } finally {
      await node.stop();
    }
  },
);
