/**
 * Loads the bundles that `scripts/bundle.mjs` makes. A file `*.code` next to a bundle caches what V8 compiled from it, so
 * that a start compiles almost nothing. `scripts/code-cache.mjs` makes these files.
 */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import vm from "node:vm";

const DIGEST_BYTES = 32;

/**
 * If this variable is "1", each thread writes the code cache of its bundle when it ends. By then, V8 has compiled the
 * functions that the thread called.
 */
const RECORD_VARIABLE = "RECORD_CODE_CACHE";

const PARAMETERS = "exports, require, module, __filename, __dirname, importModule";

/** Bundles call this for `import()`, which Node.js does not support in scripts with a code cache. */
const importModule = (specifier: string): Promise<unknown> => import(specifier);

/**
 * Runs a bundle as strict code and returns its exports. Compiles the bundle if its code cache is missing, damaged, or
 * made from another source or by another Node.js.
 * @param url `file:` URL of a CommonJS script of ASCII characters, without `import()`
 * @throws Error if the bundle cannot be read, and every error that the bundle throws
 */
export function loadBundle(url: URL): unknown {
  const file = fileURLToPath(url);
  const bytes = readFileSync(file);
  const script = new vm.Script(`(function (${PARAMETERS}) { "use strict"; ${bytes.toString("latin1")}\n})`, {
    filename: file,
    cachedData: readCode(file, bytes),
  });
  if (process.env[RECORD_VARIABLE] === "1")
    process.once("exit", () => {
      const code = script.createCachedData();
      writeFileSync(codePath(file), Buffer.concat([codeDigest(bytes, code), code]));
    });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(file), module, file, dirname(file), importModule);
  return module.exports;
}

const codePath = (file: string): string => `${file}.code`;

/** Returns the code cache; undefined without a valid one. V8 itself checks only its version and the source's length. */
function readCode(file: string, source: Buffer): Buffer | undefined {
  let content: Buffer;
  try {
    content = readFileSync(codePath(file));
  } catch {
    return undefined;
  }
  const code = content.subarray(DIGEST_BYTES);
  return codeDigest(source, code).equals(content.subarray(0, DIGEST_BYTES)) ? code : undefined;
}

function codeDigest(source: Buffer, code: Buffer): Buffer {
  return createHash("sha256")
    .update(`${process.version} ${process.arch}\n`)
    .update(source)
    .update(code)
    .digest();
}
