import { statSync } from "node:fs";
import { dirname, extname, resolve } from "node:path";
import { readBounded } from "../../kinds/bounded-file.ts";
import { type Include, parseHocon } from "./parser.ts";
import { type Resolved, resolveHocon } from "./resolve.ts";
import { HoconError, type ObjectExpression, placeText } from "./values.ts";

export const MAX_FILE_BYTES = 2 ** 20;
const MAX_TOTAL_BYTES = 4 * MAX_FILE_BYTES;
const MAX_FILES = 100;
const MAX_INCLUDE_DEPTH = 16;

/** Files with the reference's defaults. */
const SHIPPED_FILE = /^(application|reference)(\.conf)?$/;

interface HoconFile extends Resolved {
  readonly warnings: readonly string[];
}

/**
 * Reads a file with its includes, and resolves substitutions.
 * @param externalValue value of a path that the files do not set
 * @throws HoconError for invalid text; system errors for the file itself
 */
export function readHocon(path: string, externalValue: (path: string) => string | undefined): HoconFile {
  const reader = new Reader();
  const root = reader.read(path, [], []);
  return { ...resolveHocon(root, externalValue), warnings: reader.warnings };
}

class Reader {
  readonly warnings: string[] = [];
  #files = 0;
  #bytes = 0;

  /**
   * @param prefix path of the including object
   * @param parents including files, outermost first
   */
  read(path: string, prefix: readonly string[], parents: readonly string[]): ObjectExpression {
    const place = { file: path, line: 1 };
    const text = readBounded(path, MAX_FILE_BYTES);
    if (text === undefined) throw new HoconError(place, "the settings file exceeds 1 MiB");
    this.#bytes += Buffer.byteLength(text);
    if (++this.#files > MAX_FILES || this.#bytes > MAX_TOTAL_BYTES)
      throw new HoconError(place, `more than ${MAX_FILES} files, or 4 MiB, are included`);
    return parseHocon(text, path, {
      prefix,
      include: (include, at) => this.#include(include, at, [...parents, path]),
    });
  }

  #include(
    include: Include,
    at: readonly string[],
    parents: readonly string[],
  ): ObjectExpression | undefined {
    const { name, from, required, place } = include;
    if (from === "url" || (from === "plain" && /^[a-z][a-z0-9+.-]+:\/\//i.test(name)))
      throw new HoconError(place, "only files can be included, not URLs");
    if (from === "classpath") {
      if (!SHIPPED_FILE.test(name))
        throw new HoconError(place, "only files can be included, not classpath resources");
      this.warnings.push(
        `${placeText(place)}: include classpath("${name}") has no effect: this node has its own defaults`,
      );
      return undefined;
    }
    const file = this.#findFile(resolve(dirname(parents[parents.length - 1]), name), from === "plain");
    if (file === undefined) {
      if (required) throw new HoconError(place, `cannot read the required file ${name}`);
      return undefined;
    }
    if (extname(file) === ".properties")
      throw new HoconError(
        place,
        "properties files are not supported: write the settings as NAME = VALUE in a .conf file",
      );
    if (parents.includes(file)) throw new HoconError(place, `${name} includes itself`);
    if (parents.length > MAX_INCLUDE_DEPTH)
      throw new HoconError(place, `includes are nested more than ${MAX_INCLUDE_DEPTH} deep`);
    return this.read(file, at, parents);
  }

  /** With `addExtension`, also tries `.conf`, `.json` and `.properties`. */
  #findFile(path: string, addExtension: boolean): string | undefined {
    const names =
      addExtension && !/\.(conf|json|properties)$/.test(path)
        ? [`${path}.conf`, `${path}.json`, `${path}.properties`, path]
        : [path];
    return names.find((name) => statSync(name, { throwIfNoEntry: false })?.isFile());
  }
}
