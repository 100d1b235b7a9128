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

/** Scripts contain the code of all other packages. */
const UNBUNDLED_IN_SCRIPTS = /^(hash-wasm|@fastify\/swagger-ui)(\/|$)/;

/**
 * Modules that scripts contain instead of modules of packages: searching the native binaries of lmdb and sodium-native,
 * and loading the files of msgpackr, would take longer than everything else in these packages.
 */
const REPLACED_IN_SCRIPTS = [
  {
    importer: /[\\/]node_modules[\\/]lmdb[\\/]/,
    source: "node-gyp-build-optional-packages",
    code: `module.exports = () => {
  const { existsSync } = require("node:fs");
  const { createRequire } = require("node:module");
  const { dirname, join } = require("node:path");
  const { platform, arch, versions, env, execPath } = process;
  const load = require;
  const main = load.resolve("lmdb");
  const folder = dirname(dirname(main));
  const fromPackage = createRequire(main);
  // Other threads search. Two binaries in one process would break each other's locks, so this must find the same file.
  const settings = ["LMDB_PREBUILD", "LIBC", "npm_config_arch", "npm_config_platform"];
  const places = [join(folder, "build"), join(folder, "prebuilds"), join(dirname(execPath), "prebuilds"), "/etc/alpine-release"];
  if (!settings.some((name) => env[name]) && !places.some(existsSync)) {
    try {
      return fromPackage("@lmdb/lmdb-" + platform + "-" + arch + "/node.abi" + versions.modules + ".glibc.node");
    } catch {}
  }
  return fromPackage("node-gyp-build-optional-packages")(folder);
};`,
  },
  {
    // Only databases with another encoding than ours need it.
    importer: /[\\/]node_modules[\\/]lmdb[\\/]/,
    source: "msgpackr",
    code: "export const Encoder = undefined;",
  },
  {
    importer: /[\\/]node_modules[\\/]sodium-native[\\/]/,
    source: "./binding",
    code: `const { platform, arch } = process;
const load = require;
try {
  module.exports = load("sodium-native/prebuilds/" + platform + "-" + arch + "/sodium-native.node");
} catch {
  module.exports = load("sodium-native/binding.js");
}`,
  },
];

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

/**
 * Changes of packages in scripts: file, old text, new text. The router (find-my-way) compiles several functions per route
 * from texts, most of which are equal, so each text is compiled once. Prefixes are matched as the router matches long
 * ones, without compiling a function.
 */
const CHANGES_OF_PACKAGES = [
  [/find-my-way[\\/]lib[\\/]node\.js$/, "LONG_PREFIX_MIN_LENGTH = 16", "LONG_PREFIX_MIN_LENGTH = 2"],
  [
    /find-my-way[\\/]lib[\\/]handler-storage\.js$/,
    "class HandlerStorage {",
    `const compiled = new Map()
const compileOnce = (name, text) => {
  if (!compiled.has(text)) compiled.set(text, new Function(name, text))
  return compiled.get(text)
}
class HandlerStorage {`,
  ],
  [
    /find-my-way[\\/]lib[\\/]handler-storage\.js$/,
    "new Function('NullObject', ",
    "compileOnce('NullObject', ",
  ],
  [
    /find-my-way[\\/]lib[\\/]handler-storage\.js$/,
    "new Function('derivedConstraints', ",
    "compileOnce('derivedConstraints', ",
  ],
];

const replacedModules = {
  name: "replaced-modules",
  resolveId(source, importer = "") {
    const index = REPLACED_IN_SCRIPTS.findIndex(
      (one) => one.source === source && one.importer.test(importer),
    );
    return index < 0 ? null : `\0replaced-${index}`;
  },
  load(id) {
    const index = /^\0replaced-(\d+)$/.exec(id)?.[1];
    return index === undefined ? null : REPLACED_IN_SCRIPTS[index].code;
  },
  transform(code, id) {
    let form = code.replaceAll('createRequire(import.meta.url)("sodium-native")', 'require("sodium-native")');
    for (const [file, from, to] of CHANGES_OF_PACKAGES) {
      if (!file.test(id)) continue;
      if (!form.includes(from)) throw new Error(`Bundling failed: ${id} does not contain ${from}`);
      form = form.replace(from, to);
    }
    return form === code ? null : form;
  },
};

/** Modules of Node.js that few starts need. They are loaded when a property is read. */
const RARE_BUILTIN = /\b(?:let|const) (\w+) = require\("(node:(?:http2|https|child_process))"\);/g;
const RARELY = "const rarely = (name) => new Proxy({}, { get: (_, key) => require(name)[key] });";

/** Makes code that `src/runtime/threads/load-bundle.ts` can run. */
const scriptForm = {
  name: "script-form",
  renderChunk(code) {
    const form = (RARELY + code)
      .replaceAll(RARE_BUILTIN, 'const $1 = rarely("$2");')
      .replaceAll("await import(", "await importModule(")
      // Strings of one byte a character take half the memory and are faster to read.
      .replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
    const other = /.*(?<![\w$.])import\(.*/.exec(form);
    if (other !== null)
      throw new Error(`Bundling failed: write "await import(" instead of ${other[0].trim()}`);
    return form;
  },
};

const bundleOptions = (dist, plugins, unbundled) => ({
  cwd: dist,
  platform: "node",
  external: (id) => id.startsWith("node:") || unbundled.test(id),
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
    ...bundleOptions(dist, [replacedModules, ownPaths(dist, url), scriptForm], UNBUNDLED_IN_SCRIPTS),
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
    ...bundleOptions(dist, [ownPaths(dist, "import.meta.url")], UNBUNDLED),
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
