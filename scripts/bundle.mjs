// `node scripts/bundle.mjs FOLDER` joins the compiled files of the command and its threads into few files, because
// loading a thousand files takes a third of a start. The entries keep their paths. The other compiled files stay as they
// are, for `holdfast/client` and for tests; no thread loads both a bundled module with state and its unbundled twin.
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { rolldown } from "rolldown";

/**
 * Files that every start loads. Each becomes one script, `bundles/NAME.cjs`, because V8 can cache the code of scripts
 * (`src/runtime/threads/load-bundle.ts`). A module within runs when it is needed.
 */
const SCRIPTS = ["cli/system/system-io.js", "node/api/api-thread.js"];

/** Files from which other threads are started. They load `chunks/`. */
const ENTRIES = [
  "node/api/reader-thread.js",
  "node/backups/backup-thread.js",
  "verification/checker-thread.js",
];

/** Packages that find other files by their own path. They are loaded from `node_modules`. */
const UNBUNDLED = /^(lmdb|sodium-native|hash-wasm|@fastify\/swagger-ui)(\/|$)/;

/** Files of which a thread loads all or none, with their static imports. */
const LOADED_TOGETHER = {
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
 * @param base expression for the URL of the file that contains the code
 */
const ownPaths = (dist, base) => ({
  name: "own-paths",
  transform(code, id) {
    if (!id.startsWith(dist + sep) || !code.includes("import.meta.url")) return null;
    return code.replaceAll("import.meta.url", `MODULE_URL(${JSON.stringify(slashes(relative(dist, id)))})`);
  },
  renderChunk(code, { fileName }) {
    if (!code.includes("MODULE_URL(")) return null;
    return code.replaceAll(/MODULE_URL\("([^"]+)"\)/g, (_, path) => {
      const fromChunk = slashes(relative(dirname(fileName), path));
      return `new URL(${JSON.stringify(fromChunk.startsWith(".") ? fromChunk : `./${fromChunk}`)}, ${base}).href`;
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

/** Makes code that `src/runtime/threads/load-bundle.ts` can run. */
const scriptForm = {
  name: "script-form",
  renderChunk(code) {
    const form = code
      .replaceAll("await import(", "await importModule(")
      // Strings of one byte a character take half the memory and are faster to read.
      .replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
    const other = /.*(?<![\w$.])import\(.*/.exec(form);
    if (other !== null)
      throw new Error(`Bundling failed: write "await import(" instead of ${other[0].trim()}`);
    return form;
  },
};

const bundleOptions = (dist, plugins) => ({
  cwd: dist,
  platform: "node",
  external: (id) => id.startsWith("node:") || UNBUNDLED.test(id),
  plugins,
  onLog(level, log, handler) {
    if (level === "warn" && !HARMLESS.has(log.code)) throw new Error(`Bundling failed: ${log.message}`);
    if (level !== "warn") handler(level, log);
  },
});

const outputOptions = { keepNames: true, sourcemap: true, minify: false };

async function bundleScript(dist, entry) {
  const url = 'require("node:url").pathToFileURL(__filename)';
  const build = await rolldown({
    ...bundleOptions(dist, [ownPaths(dist, url), scriptForm]),
    input: join(dist, entry),
  });
  const file = `bundles/${basename(entry, ".js")}.cjs`;
  const { output } = await build.write({
    ...outputOptions,
    dir: dist,
    entryFileNames: file,
    format: "cjs",
    codeSplitting: false,
    comments: { jsdoc: false },
  });
  await build.close();
  const { exports } = output[0];
  const from = (path) => slashes(relative(dirname(entry), path));
  const loaded = `loadBundle(new URL(${JSON.stringify(from(file))}, import.meta.url))`;
  writeFileSync(
    join(dist, entry),
    `import { loadBundle } from ${JSON.stringify(from("runtime/threads/load-bundle.js"))};

${exports.length === 0 ? loaded : `export const { ${exports.join(", ")} } = ${loaded}`};
`,
  );
}

async function bundleThreads(dist) {
  const folder = `${dist}.bundled`;
  rmSync(folder, { recursive: true, force: true });
  const build = await rolldown({
    ...bundleOptions(dist, [ownPaths(dist, "import.meta.url")]),
    input: Object.fromEntries(ENTRIES.map((entry) => [entry.slice(0, -".js".length), join(dist, entry)])),
    preserveEntrySignatures: "allow-extension",
  });
  await build.write({
    ...outputOptions,
    dir: folder,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name]-[hash].js",
    codeSplitting: joinedFiles(dist),
  });
  await build.close();
  for (const entry of ENTRIES)
    for (const end of ["", ".map"]) renameSync(join(folder, entry + end), join(dist, entry + end));
  renameSync(join(folder, "chunks"), join(dist, "chunks"));
  rmSync(folder, { recursive: true });
}

/** @param dist absolute path of the folder of compiled files, in which the entries are replaced */
async function bundle(dist) {
  await bundleThreads(dist);
  for (const entry of SCRIPTS) await bundleScript(dist, entry);
}

await bundle(process.argv[2]);
