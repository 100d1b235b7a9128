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

/** Files of which a process or thread loads all or none, with their static imports. */
const LOADED_TOGETHER = {
  version: ["node/version.js"],
  command: ["cli/system/system-io.js"],
  environment: [
    "config/load.js",
    "log.js",
    "runtime/logging/log-levels.js",
    "node/handles.js",
    "node/system-environment.js",
  ],
  node: ["node.js", "runtime/supervise-process.js"],
  api: ["node/api/api-thread.js"],
  reader: ["node/api/reader-thread.js"],
  checker: ["verification/checker-thread.js"],
};

const slashes = (path) => path.split(sep).join("/");

/**
 * Lines stay the same when a module's own path is inserted, one package contains a direct `eval`, and some commands
 * import on demand what others import at once.
 */
const HARMLESS = new Set(["SOURCEMAP_BROKEN", "EVAL", "INEFFECTIVE_DYNAMIC_IMPORT"]);

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

/**
 * Returns by module which of `LOADED_TOGETHER` contain it.
 * @param dist folder of the compiled files
 */
function namesByModule(dist, getModuleInfo) {
  const names = new Map();
  for (const [name, files] of Object.entries(LOADED_TOGETHER)) {
    const pending = files.map((file) => join(dist, file));
    if (pending.some((id) => getModuleInfo(id) === null)) throw new Error(`A file of "${name}" is missing`);
    const seen = new Set(pending);
    for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
      const info = getModuleInfo(id);
      if (info === null) continue;
      if (!info.isEntry) names.set(id, [...(names.get(id) ?? []), name]);
      for (const imported of info.importedIds) {
        if (!seen.has(imported)) pending.push(imported);
        seen.add(imported);
      }
    }
  }
  return names;
}

/**
 * Joins modules that are always loaded together: opening a file takes longer than compiling it. A process loads no code
 * that it does not need.
 * @param dist folder of the compiled files
 */
function joinedFiles(dist) {
  let names;
  const name = (id, context) => {
    names ??= namesByModule(dist, (one) => context.getModuleInfo(one));
    return names.get(id)?.join("-") ?? null;
  };
  return { includeDependenciesRecursively: false, groups: [{ debugName: "loaded together", name }] };
}

/** @param dist absolute path of the folder of compiled files, in which the entries are replaced */
async function bundle(dist) {
  const folder = `${dist}.bundled`;
  rmSync(folder, { recursive: true, force: true });
  const build = await rolldown({
    cwd: dist,
    input: Object.fromEntries(ENTRIES.map((entry) => [entry.slice(0, -".js".length), join(dist, entry)])),
    platform: "node",
    preserveEntrySignatures: "allow-extension",
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
    codeSplitting: joinedFiles(dist),
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
