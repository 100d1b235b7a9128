/**
 * The house rules of docs/architecture.md that a compiler does not enforce: which folder may import which, and
 * that the pure folders touch neither clock nor socket nor disk nor randomness.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix, relative, sep } from "node:path";
import { describe, expect, test } from "vitest";

const source = join(import.meta.dirname, "..", "src");

/** From the lowest to the highest: a place may import itself and the places before it. */
const order = [
  "errors",
  "bytes",
  "collections",
  "chainpoint",
  "crypto",
  "profiles",
  "script",
  "transactions",
  "blocks",
  "consensus",
  "ledger",
  "queries",
  "interfaces",
  "interfaces.ts",
  "units",
  "control",
  // --- pure above, effects below
  "runtime",
  "storage",
  "indexes",
  "verification",
  "mempool",
  "chain",
  "wallet",
  "anchoring",
  "forging",
  "peers",
  "http",
  "api",
  "unit-sources",
  "postgres",
  "client",
  "explorer",
  "config",
  "log.ts",
  "node",
  "node.ts",
  "cli",
  "cli.ts",
];

const pure = order.slice(0, order.indexOf("control") + 1);

/** Importers of a place that is not available to every place above it. */
const onlyFor: Record<string, readonly string[]> = {
  // It runs in browsers; the node serves its built files.
  explorer: [],
  config: ["node", "node.ts", "cli", "cli.ts"],
  "log.ts": ["node", "node.ts", "cli", "cli.ts"],
  node: ["node.ts", "cli", "cli.ts"],
  "node.ts": ["cli", "cli.ts"],
  cli: ["cli.ts"],
  "cli.ts": [],
};

/** Maximum imports of a place, if fewer than everything before it. */
const onlyFrom: Record<string, readonly string[]> = {
  // It knows no route, chain or transaction.
  http: ["bytes", "collections", "crypto", "interfaces.ts", "runtime"],
  api: [...pure, "runtime", "http"],
  client: [...pure, "api"],
  explorer: [...pure, "api", "client"],
};

/** Places from which another place may import types only. */
const onlyTypesFrom: Record<string, readonly string[]> = {
  client: ["api", "interfaces.ts", "control"],
  explorer: ["api", "interfaces.ts", "control"],
};

/** Who may import a subfolder, or a folder with few users: files and folders by path prefix. */
const rooms: Record<string, readonly string[]> = {
  // The route machinery knows no single route.
  "api/routes/": ["api/server/server.ts", "api/reading/answer-reads.ts", "client/types.ts"],
  // Validating, writing and reading at the tip does not depend on work over the whole chain.
  "chain/jobs/": ["node.ts", "node/following/", "node/unchecked/", "cli/"],
  "interfaces/": ["interfaces.ts"],
  "ledger/rules/": ["ledger/registry.ts"],
  // `verify` reads the runs themselves.
  "storage/lsm/": ["storage/", "chain/jobs/"],
  "storage/postings/": ["storage/", "indexes/", "chain/jobs/"],
  // A rule belongs to its type.
  "transactions/types/": ["transactions/registry.ts", "transactions/index.ts", "ledger/rules/"],
  // All other places receive verdicts.
  "verification/": [
    "chain/checking/",
    "chain/following/",
    "chain/jobs/",
    "peers/",
    "node.ts",
    "node/",
    "cli/",
  ],
};

interface Source {
  /** Path below `src`, with forward slashes. */
  readonly path: string;
  /** The text without comments and string contents, for word searches. */
  readonly code: string;
  readonly lines: number;
  readonly imports: readonly string[];
  /** Type-only imports. */
  readonly typeImports: readonly string[];
  /** Modules of which it only starts threads. */
  readonly started: readonly string[];
}

function list(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? list(path) : [path];
  });
}

/** Comments, quoted strings, or templates without substitutions; the first alternative that begins wins. */
const NO_CODE = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g;
const IMPORT = /(?:\bfrom\s*|\bimport\s*\(?\s*)"([^"\s]+)"/g;
const TYPE_IMPORT = /\b(?:import|export)\s+type\s[^;"]*?\bfrom\s*"([^"\n]+)"/g;
/** Worker threads are started by the path of the compiled file: `new URL("./worker.js", import.meta.url)`. */
const URL_IMPORT = /new URL\(\s*"(\.[^"\n]+\.[cm]?[jt]s)"/g;

/** The imports of a text, by the paths of the sources. */
function importsOf(text: string): string[] {
  return [...Array.from(text.matchAll(IMPORT), ([, name]) => name), ...startedBy(text)];
}

function startedBy(text: string): string[] {
  return Array.from(text.matchAll(URL_IMPORT), ([, name]) => name.replace(/\.js$/, ".ts"));
}

/** The type-only imports of a text: those with `import type` and no other import. */
function typeImportsOf(text: string): string[] {
  const names = [...text.matchAll(TYPE_IMPORT)].map((match) => match[1]);
  const all = importsOf(text);
  return names.filter(
    (name) => names.filter((one) => one === name).length === all.filter((one) => one === name).length,
  );
}

function strip(text: string, keepTexts: boolean): string {
  return text.replace(NO_CODE, (found) => (found.startsWith("/") ? " " : keepTexts ? found : '""'));
}

function read(path: string): Source {
  const text = readFileSync(path, "utf8");
  const withTexts = strip(text, true);
  return {
    path: relative(source, path).split(sep).join("/"),
    code: strip(text, false),
    lines: text.split("\n").length - 1,
    imports: importsOf(withTexts),
    typeImports: typeImportsOf(withTexts),
    started: startedBy(withTexts),
  };
}

/** A folder and its subfolders, except recordings, whose names are numbers. */
function foldersIn(folder: string): string[] {
  const inner = readdirSync(folder, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && entry.name !== "vectors",
  );
  return [folder, ...inner.flatMap(({ name }) => foldersIn(join(folder, name)))];
}

/** Recorded data, which nobody reads as a whole. */
const data = ["api/openapi/example-answers.ts"];
/** Maximum length of a file, in lines. */
const MAX_LINES = 450;

/** Maximum number of names in a folder. */
const MAX_NAMES = 24;

/** The name that a reader sees: `x.test.ts` belongs to `x.ts`. */
const bareName = (name: string) =>
  name.replace(/(\.(property|conformance))?(\.test)?\.(tsx?|mjs|js|md|json)$/, "");

const singular = (name: string) => name.replace(/s(?=-|$)/g, "");

function differInALetter(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  if (long.length - short.length > 1) return false;
  let same = 0;
  while (same < short.length && short[same] === long[same]) same++;
  return long.slice(same + 1) === short.slice(short.length === long.length ? same + 1 : same);
}

/** A folder and the file that describes its files: `pages` and `page.ts`. */
const isFolderOf = (a: string, b: string, names: readonly string[]): boolean =>
  a === `${b}s` && names.includes(a) && names.includes(`${b}.ts`);

/** Pairs of similar names in one folder. */
function* confusingNames(names: readonly string[]): Generator<string> {
  const bare = [...new Set(names.map(bareName))];
  for (const [i, a] of bare.entries())
    for (const b of bare.slice(i + 1)) {
      if (isFolderOf(a, b, names) || isFolderOf(b, a, names)) continue;
      if (singular(a) === singular(b) || differInALetter(a, b)) yield `${a} and ${b}`;
    }
}

/** The place of a path below `src`: the first folder, or the file's own name. */
const placeOf = (path: string) => path.split("/")[0];

/** Tests and their helpers may import everything. */
const isTestCode = (path: string) =>
  /\.test\.tsx?$|(^|\/)arbitrary\.ts$/.test(path) || path.split("/").includes("testing");

const sources = list(source)
  .filter((path) => path.endsWith(".ts") || path.endsWith(".tsx"))
  .map(read)
  .filter(({ path }) => !isTestCode(path));

/** The imports of our files: `[importing file, imported path below src, whether types only]`. */
function* ownImports(files: readonly Source[]): Generator<[Source, string, boolean]> {
  for (const file of files) {
    for (const name of file.imports) {
      if (!name.startsWith(".")) continue;
      const target = posix.normalize(posix.join(dirname(file.path), name));
      yield [file, target, file.typeImports.includes(name)];
    }
  }
}

/** Import cycles, including types. */
function cyclesIn(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const way: string[] = [];
  const follow = (path: string): void => {
    if (way.includes(path)) found.push([...way.slice(way.indexOf(path)), path].join(" -> "));
    if (done.has(path) || way.includes(path)) return;
    way.push(path);
    for (const target of graph.get(path) ?? []) follow(target);
    way.pop();
    done.add(path);
  };
  for (const path of graph.keys()) follow(path);
  return found;
}

/** A comparison of a type with a number. Types of associations are bigints. */
const BY_NUMBER = /\btype\s*[!=]==\s*\d+\b/;

/** Returns the rule that an import breaks, or undefined. */
function wrongImport(path: string, target: string, typesOnly = false): string | undefined {
  const from = placeOf(path);
  const to = placeOf(target);
  for (const [room, guests] of Object.entries(rooms)) {
    const isGuest = [room, ...guests].some((guest) => path.startsWith(guest));
    if (target.startsWith(room) && !isGuest) return `${path} imports ${target}, a room not open to it`;
  }
  if (from === to) return undefined;
  if (target.startsWith("../"))
    return target === "../package.json" ? undefined : `${path} imports ${target} from outside`;
  if (isTestCode(target)) return `${path} imports ${target}, which is for tests`;
  if (order.indexOf(to) === -1 || order.indexOf(to) > order.indexOf(from)) return `${path} imports ${target}`;
  if (onlyFor[to] !== undefined && !onlyFor[to].includes(from))
    return `${path} imports ${target}, not meant for it`;
  if (onlyFrom[from] !== undefined && !onlyFrom[from].includes(to))
    return `${path} imports ${target}, which it may not`;
  if (!typesOnly && onlyTypesFrom[from]?.includes(to) === true)
    return `${path} imports more than types of ${target}`;
  return undefined;
}

/** Node.js modules that a pure folder may use: computation and loading of CommonJS packages, no effects. */
const pureModules = new Set(["node:crypto", "node:module"]);
/** Packages with access to disk, sockets or threads. */
const effectPackages = ["lmdb", "fastify", "@fastify/", "pino", "commander", "yaml", "pg", "pg-copy-streams"];

/** Calls whose errors, thrown by the call or in its callback, end the process. */
const STARTERS = /\b(setTimeout|setInterval|networkInterfaces)\s*\(|import\s*\{[^}]*\bnetworkInterfaces\b/;
/**
 * Files that may use them: the clock, whose timers are supervised, and code that cannot throw there or is not part of a
 * node.
 */
const unsupervised = [
  "cli/npm.ts",
  "cli/system/system-io.ts",
  "client/bounded-fetch.ts",
  "runtime/system-hosts.ts",
  "runtime/system.ts",
  "runtime/tcp-transport.ts",
  "storage/disk/lock.ts",
];

const effects: readonly [what: string, pattern: RegExp][] = [
  ["the clock", /\bDate\s*\.\s*now\b|\bnew\s+Date\s*\(\s*\)|\bDate\s*\(\s*\)|\bperformance\b|\bhrtime\b/],
  ["a timer", /\b(setTimeout|setInterval|setImmediate|queueMicrotask)\b/],
  [
    "randomness",
    /\bMath\s*\.\s*random\b|\b(randomBytes|randomInt|randomUUID|randomFill(Sync)?|getRandomValues|randombytes_\w+|generateKeyPair(Sync)?)\b/,
  ],
  ["the process", /\bprocess\s*\.|\bprocess\s*\[|\bglobalThis\s*\.\s*process\b/],
  ["the network", /\bfetch\s*\(|\bnew\s+(WebSocket|XMLHttpRequest|EventSource)\b/],
  ["a thread", /\bnew\s+(Worker|SharedWorker|MessageChannel|BroadcastChannel)\b/],
  ["the console", /\bconsole\s*\./],
];

function* impurities(file: Source): Generator<string> {
  for (const name of file.imports) {
    if (name.startsWith("node:") && !pureModules.has(name)) yield `${file.path} imports ${name}`;
    if (
      effectPackages.some(
        (known) => name === known || name.startsWith(known.endsWith("/") ? known : `${known}/`),
      )
    )
      yield `${file.path} imports ${name}`;
  }
  for (const [what, pattern] of effects) {
    const found = pattern.exec(file.code);
    if (found !== null) yield `${file.path} uses ${what}: ${found[0]}`;
  }
}

describe("the source tree", () => {
  test("contains only places that the order lists", () => {
    const places = new Set(sources.map(({ path }) => placeOf(path)));
    expect([...places].filter((place) => !order.includes(place))).toEqual([]);
    // An empty search result would contain no faults either.
    expect(sources.length).toBeGreaterThan(50);
    expect([...ownImports(sources)].length).toBeGreaterThan(200);
  });

  test("follows the import order and the import permissions", () => {
    const wrong = [...ownImports(sources)].flatMap(
      ([{ path }, target, typesOnly]) => wrongImport(path, target, typesOnly) ?? [],
    );
    expect(wrong).toEqual([]);
  });

  test("has no import cycles", () => {
    const graph = new Map<string, string[]>(sources.map(({ path }) => [path, []]));
    const importing = sources.map((file) => ({
      ...file,
      imports: file.imports.filter((name) => !file.started.includes(name)),
    }));
    for (const [{ path }, target] of ownImports(importing)) graph.get(path)?.push(target);
    expect(cyclesIn(graph)).toEqual([]);
  });

  test("has no rule for a missing place or for a missing import", () => {
    const edges = [...ownImports(sources)];
    const idle = Object.entries(rooms).flatMap(([room, guests]) =>
      guests
        .filter(
          (guest) => !edges.some(([{ path }, target]) => path.startsWith(guest) && target.startsWith(room)),
        )
        .map((guest) => `${guest} in ${room}`),
    );
    expect(idle).toEqual([]);
  });

  test("imports existing files by their full names", () => {
    // Worker threads may be started by the name of the compiled file.
    const exists = (target: string) => existsSync(join(source, target.replace(/\.js$/, ".ts")));
    const missing = [...ownImports(sources)]
      .filter(([, target]) => !target.startsWith("../") && !exists(target))
      .map(([{ path }, target]) => `${path} imports ${target}`);
    expect(missing).toEqual([]);
  });

  test("has no clock, timer, socket, disk, thread or randomness in its pure folders", () => {
    const files = sources.filter(({ path }) => pure.includes(placeOf(path)));
    expect(files.length).toBeGreaterThan(40);
    expect(files.flatMap((file) => [...impurities(file)])).toEqual([]);
  });

  test("starts timers and lists the machine's addresses only where errors are caught", () => {
    const starters = sources
      .filter(({ path, code }) => !path.startsWith("explorer/") && STARTERS.test(code))
      .map(({ path }) => path);
    expect(starters).toEqual(unsupervised);
  });

  test("has no two names in a folder that differ only in a letter or a plural", () => {
    const root = join(source, "..");
    const folders = ["src", "test", "bench", "scripts", "docs"].flatMap((name) =>
      foldersIn(join(root, name)),
    );
    expect(folders.length).toBeGreaterThan(30);
    expect(folders.flatMap((folder) => [...confusingNames(readdirSync(folder))])).toEqual([]);
  });

  test("has no file above the maximum length", () => {
    const tooLong = sources
      .filter(({ path, lines }) => lines > MAX_LINES && !data.includes(path))
      .map(({ path, lines }) => `${path}: ${lines}`);
    expect(tooLong).toEqual([]);
  });

  test("has no folder above the maximum number of names", () => {
    const tooMany = foldersIn(source)
      .map((folder) => relative(source, folder).split(sep).join("/"))
      .filter((folder) => folder !== "" && !isTestCode(folder))
      .map(
        (folder) => [folder, readdirSync(join(source, folder)).filter((name) => !isTestCode(name))] as const,
      )
      .filter(([, names]) => names.length > MAX_NAMES)
      .map(([folder, names]) => `${folder}: ${names.length}`);
    expect(tooMany).toEqual([]);
  });

  test("identifies a type of transaction by its definition, not by its number", () => {
    const numbered = sources
      .filter(({ path, code }) => !path.startsWith("transactions/types/") && BY_NUMBER.test(code))
      .map(({ path }) => path);
    expect(numbered).toEqual([]);
    expect(BY_NUMBER.test("if (transaction.type !== 1) return;")).toBe(true);
  });

  test("imports only packages that package.json names", () => {
    const { dependencies, devDependencies } = JSON.parse(
      readFileSync(join(source, "..", "package.json"), "utf8"),
    ) as Record<"dependencies" | "devDependencies", Record<string, string>>;
    // The explorer's dependencies are built into it, so operators do not need to install them.
    const named = { dependencies, explorer: { ...dependencies, ...devDependencies } };
    const unnamed = sources.flatMap(({ path, imports }) =>
      imports
        .filter((name) => !name.startsWith(".") && !name.startsWith("node:"))
        .map((name) => name.split("/", name.startsWith("@") ? 2 : 1).join("/"))
        .filter(
          (name) => !Object.hasOwn(named[placeOf(path) === "explorer" ? "explorer" : "dependencies"], name),
        )
        .map((name) => `${path} imports ${name}`),
    );
    expect(unnamed).toEqual([]);
  });
});

/** Matches `import { a, type B as C } from "./d.ts"`, and the same with `export`. */
const NAMED = /\b(import|export)\s+(?:type\s+)?\{([^{}]*)\}(?:\s*from\s*"([^"\n]+)")?/g;
/** Matches `import * as a from "./d.ts"`, `export * from "./d.ts"` and `import("./d.ts")`. */
const WHOLE = /\*\s+(?:as\s+\w+\s+)?from\s*"([^"\n]+)"|\bimport\s*\(\s*"([^"\n]+)"/g;
const DECLARED = /^export (?:async |abstract )?(?:function\*?|class|interface|type|const|let) (\w+)/gm;

/** Returns `[name in its own file, name here]` for each name in braces. */
const namesIn = (braces: string): [string, string][] =>
  Array.from(braces.matchAll(/(?:type\s+)?(\w+)(?:\s+as\s+(\w+))?/g), ([, name, as = name]) => [name, as]);

/** Returns what a text imports or re-exports: file and name, or `*` for everything. */
function* importedNames(text: string): Generator<[file: string, name: string]> {
  for (const [, , braces, file] of text.matchAll(NAMED))
    if (file !== undefined) for (const [name] of namesIn(braces)) yield [file, name];
  for (const [, all, loaded] of text.matchAll(WHOLE)) yield [all ?? loaded, "*"];
}

function exportedNames(text: string): string[] {
  const listed = [...text.matchAll(NAMED)].filter(([, verb]) => verb === "export");
  return [
    ...Array.from(text.matchAll(DECLARED), ([, name]) => name),
    ...listed.flatMap(([, , braces]) => namesIn(braces).map(([, as]) => as)),
  ];
}

/** Exports without named imports: entry points of the package, and files that bundlers substitute. */
const entrances = [
  "src/client/index.ts",
  "src/client/verify-anchor.ts",
  "src/crypto/portable.ts",
  "src/crypto/portable-hashes.ts",
  // The node loads its build.
  "src/explorer/server.tsx",
  // `scripts/bundle.mjs` makes the files that call it.
  "src/runtime/threads/load-bundle.ts",
];

/** Exports for new types of transactions, and for gateways. */
const forAdditions = ["src/script/values/object-types.ts: transactionType"];

/**
 * Exports that no other file imports, and those that only tests do while their own file has no use for them. A type that
 * its own file uses may be part of the declarations of what it exports.
 */
function idleExports(texts: ReadonlyMap<string, string>): string[] {
  const users = new Map<string, string[]>();
  for (const [path, text] of texts)
    for (const [file, name] of importedNames(text)) {
      const key = `${posix.join(dirname(path), file)} ${name}`;
      users.set(key, [...(users.get(key) ?? []), path]);
    }
  const isProduct = (path: string) => path.startsWith("src/") && !isTestCode(path);
  const isIdle = (path: string, text: string, name: string): boolean => {
    const by = [name, "*"].flatMap((one) => users.get(`${path} ${one}`) ?? []);
    const usedInside = [...text.matchAll(new RegExp(`\\b${name}\\b`, "g"))].length > 1;
    const isType = new RegExp(`^export (?:interface|type) ${name}\\b`, "m").test(text);
    return usedInside ? by.length === 0 && !isType : !by.some(isProduct);
  };
  return [...texts]
    .filter(([path]) => isProduct(path) && !entrances.includes(path))
    .flatMap(([path, text]) =>
      exportedNames(text)
        .filter((name) => isIdle(path, text, name))
        .map((name) => `${path}: ${name}`)
        .filter((found) => !forAdditions.includes(found)),
    );
}

describe("all exports", () => {
  const root = join(source, "..");
  const texts = new Map(
    ["src", "test", "bench"]
      .flatMap((folder) => list(join(root, folder)))
      .filter((path) => /\.tsx?$/.test(path))
      .map((path) => [relative(root, path).split(sep).join("/"), strip(readFileSync(path, "utf8"), true)]),
  );

  test("are imported by another file, which is a product file unless their own file uses them", () => {
    expect(idleExports(texts)).toEqual([]);
  });

  test("are found together with their importers", () => {
    const idle = (...files: [string, string][]) => idleExports(new Map(files));
    const a = 'export const b = 1;\nexport type C = typeof b;\nexport { d as e } from "./d.ts";';
    expect(idle(["src/a.ts", a])).toEqual(["src/a.ts: b", "src/a.ts: C", "src/a.ts: e"]);
    const some = 'import { b as x, type C } from "./a.ts";';
    expect(idle(["src/a.ts", a], ["src/b.ts", some])).toEqual(["src/a.ts: e"]);
    expect(idle(["src/a.ts", a], ["src/b.ts", 'import * as all from "./a.ts";'])).toEqual([]);
    const loaded = 'const a = await import("../src/a.ts");';
    expect(idle(["src/a.ts", a], ["test/b.ts", loaded])).toEqual(["src/a.ts: C", "src/a.ts: e"]);
  });
});

describe("the checks of the source tree", () => {
  test.each<[string, string, boolean]>([
    ["bytes/a.ts", "bytes/b.ts", true],
    ["ledger/a.ts", "bytes/b.ts", true],
    ["bytes/a.ts", "ledger/b.ts", false],
    ["interfaces.ts", "transactions/index.ts", true],
    ["ledger/a.ts", "interfaces.ts", false],
    ["storage/a.ts", "interfaces.ts", true],
    ["api/a.ts", "interfaces.ts", true],
    ["api/a.ts", "ledger/a.ts", true],
    ["api/a.ts", "storage/a.ts", false],
    ["api/a.ts", "config/settings.ts", false],
    ["chain/a.ts", "indexes/a.ts", true],
    ["indexes/a.ts", "chain/a.ts", false],
    ["wallet/a.ts", "config/a.ts", false],
    ["node.ts", "config/a.ts", true],
    ["config/a.ts", "indexes/a.ts", true],
    ["cli/a.ts", "config/a.ts", true],
    ["cli/a.ts", "node.ts", true],
    ["node.ts", "cli/a.ts", false],
    ["chain/a.ts", "testing/clock.ts", false],
    ["chain/a.ts", "nowhere/a.ts", false],
    ["chain/a.ts", "../test/vectors.ts", false],
    ["cli/a.ts", "../package.json", true],
    ["client/a.ts", "bytes/a.ts", true],
    ["client/a.ts", "api/routes/all.ts", false],
    ["client/a.ts", "storage/a.ts", false],
    ["api/a.ts", "client/a.ts", false],
    ["explorer/a.tsx", "client/a.ts", true],
    ["explorer/a.tsx", "transactions/index.ts", true],
    ["explorer/a.tsx", "storage/a.ts", false],
    ["explorer/a.tsx", "api/route.ts", false],
    ["client/a.ts", "explorer/a.ts", false],
    ["node.ts", "explorer/a.ts", false],
    ["http/responses/respond.ts", "api/routes/all.ts", false],
    ["api/server/server.ts", "api/routes/all.ts", true],
    ["api/routes/a.ts", "api/routes/b.ts", true],
    ["chain/writing/a.ts", "chain/jobs/b.ts", false],
    ["ledger/rules/lease.ts", "transactions/types/lease.ts", true],
    ["indexes/a.ts", "transactions/types/lease.ts", false],
    ["indexes/a.ts", "storage/lsm/tree.ts", false],
  ])("%s importing %s: %s", (path, target, right) => {
    expect(wrongImport(path, target) === undefined).toBe(right);
  });

  test("distinguish type imports from others", () => {
    expect(wrongImport("client/types.ts", "api/routes/all.ts", true)).toBeUndefined();
    expect(wrongImport("client/types.ts", "api/routes/all.ts")).toBeDefined();
    expect(wrongImport("client/a.ts", "storage/a.ts", true)).toBeDefined();
    const text = [
      'import type { A } from "./a.ts";',
      'import type {\n  B,\n} from "./b.ts";',
      'import { type C } from "./c.ts";',
      'import type { D } from "./d.ts";',
      'import { d } from "./d.ts";',
      'export type { E } from "./e.ts";',
    ].join("\n");
    expect(typeImportsOf(text)).toEqual(["./a.ts", "./b.ts", "./e.ts"]);
  });

  test("find an import cycle", () => {
    const graph = (...lines: string[]) => new Map(lines.map((line) => [line[0], [...line.slice(1)]]));
    expect(cyclesIn(graph("abc", "bcd", "cd", "d"))).toEqual([]);
    expect(cyclesIn(graph("ab", "bcd", "c", "db"))).toEqual(["b -> d -> b"]);
    expect(cyclesIn(graph("aa"))).toEqual(["a -> a"]);
  });

  test("find similar names", () => {
    const names = [
      "a-keys.ts",
      "a-keys.test.ts",
      "as-key.ts",
      "serve.ts",
      "server.test.ts",
      "cat.ts",
      "cut.ts",
      "own.ts",
      "page.ts",
      "pages",
    ];
    expect([...confusingNames(names)]).toEqual(["a-keys and as-key", "serve and server", "cat and cut"]);
  });

  test("find imports and effects, and ignore text that looks like them", () => {
    const lines = [
      'import { a } from "./a.ts";',
      'import type {\n  B,\n} from "../b/b.ts";',
      'import "../c/c.ts";',
      'export * from "./d.ts";',
      'const e = await import("./e.ts");',
      'new Worker(new URL("./f.ts", import.meta.url));',
      '// import { x } from "./x.ts"; Date.now()',
      '/* from "./y.ts" */',
      'const text = "Date.now() and Math.random()";',
    ];
    const text = lines.join("\n");
    const imports = importsOf(strip(text, true));
    expect(imports).toEqual(["./a.ts", "../b/b.ts", "../c/c.ts", "./d.ts", "./e.ts", "./f.ts"]);
    const impure = (code: string, ...names: string[]) => [
      ...impurities({
        path: "p",
        code: strip(code, false),
        lines: 1,
        imports: names,
        typeImports: [],
        started: [],
      }),
    ];
    expect(impure(lines.slice(6).join("\n"))).toEqual([]);
    expect(
      impure("const at = new Date(0), ok = update(), processed = 1;", "node:crypto", "./own.ts"),
    ).toEqual([]);
    for (const code of [
      "Date.now()",
      "new Date()",
      "performance.now()",
      "setTimeout(f, 1)",
      "Math.random()",
      "crypto.randomBytes(3)",
      "process.env.X",
      "fetch(url)",
      "new Worker(x)",
      "console.log(1)",
    ])
      expect(impure(code), code).toHaveLength(1);
    for (const name of ["node:fs", "node:net", "node:worker_threads", "lmdb", "@fastify/cors"])
      expect(impure("", name), name).toHaveLength(1);
  });
});
