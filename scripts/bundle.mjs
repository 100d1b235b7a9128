// `node scripts/bundle.mjs FOLDER` joins the compiled files of the command and its threads into few files, because
// loading a thousand files takes a third of a start. The entries keep their paths, and load `chunks/`. The other compiled
// files stay as they are, for `holdfast/client` and for tests; no process loads both a bundled module and its unbundled
// twin.
import { renameSync, rmSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { rolldown } from "rolldown";

/** The command, and the files from which threads are started. */
const ENTRIES = [
  "cli.js",
  "node/api/api-thread.js",
  "node/api/reader-thread.js",
  "node/backups/backup-thread.js",
  "verification/checker-thread.js",
];

/** Packages that find other files by their own path. They are loaded from `node_modules`. */
const UNBUNDLED =
  /^(lmdb|sodium-native|pino|yaml|hash-wasm|prom-client|@fastify\/static|@fastify\/swagger-ui)(\/|$)/;

const slashes = (path) => path.split(sep).join("/");

/** Lines stay the same when a module's own path is inserted, and one package contains a direct `eval`. */
const HARMLESS = new Set(["SOURCEMAP_BROKEN", "EVAL"]);

/**
 * A module finds files and threads relative to its own path, wherever its code is.
 * @param dist folder of the compiled files
 */
const ownPaths = (dist) => ({
  name: "own-paths",
  transform(code, id) {
    if (!id.startsWith(dist + sep) || !code.includes("import.meta.url")) return null;
    return code.replaceAll("import.meta.url", `MODULE_URL(${JSON.stringify(slashes(relative(dist, id)))})`);
  },
  renderChunk(code, { fileName }) {
    if (!code.includes("MODULE_URL(")) return null;
    return code.replaceAll(/MODULE_URL\("([^"]+)"\)/g, (_, path) => {
      const fromChunk = slashes(relative(dirname(fileName), path));
      return `new URL(${JSON.stringify(fromChunk.startsWith(".") ? fromChunk : `./${fromChunk}`)}, import.meta.url).href`;
    });
  },
});

/** @param dist absolute path of the folder of compiled files, in which the entries are replaced */
async function bundle(dist) {
  const folder = `${dist}.bundled`;
  rmSync(folder, { recursive: true, force: true });
  const build = await rolldown({
    cwd: dist,
    input: Object.fromEntries(ENTRIES.map((entry) => [entry.slice(0, -".js".length), join(dist, entry)])),
    platform: "node",
    external: (id) => id.startsWith("node:") || UNBUNDLED.test(id),
    plugins: [ownPaths(dist)],
    onLog(level, log, handler) {
      if (level === "warn" && !HARMLESS.has(log.code)) throw new Error(`Bundling failed: ${log.message}`);
      if (level !== "warn") handler(level, log);
    },
  });
  await build.write({
    dir: folder,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name]-[hash].js",
    keepNames: true,
    sourcemap: true,
    minify: false,
  });
  await build.close();
  for (const entry of ENTRIES)
    for (const end of ["", ".map"]) renameSync(join(folder, entry + end), join(dist, entry + end));
  renameSync(join(folder, "chunks"), join(dist, "chunks"));
  rmSync(folder, { recursive: true });
}

await bundle(process.argv[2]);
