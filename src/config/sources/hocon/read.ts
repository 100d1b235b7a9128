import { statSync } from "node:fs";
import { dirname, extname, resolve } from "node:path";
import { readBounded } from "../../kinds/bounded-file.ts";
import { type Include, parseHocon } from "./parser.ts";
import { type Resolved, resolveHocon } from "./resolve.ts";
import { HoconError, type ObjectExpression, placeText } from "./values.ts";

/** Bytes. */
export const MAX_FILE = 2 ** 20;
const MAX_ALL = 4 * MAX_FILE;
const MAX_FILES = 100;
const MAX_INCLUDE_DEPTH = 16;

/** Default files that the reference ships. This node has its own defaults. */
const SHIPPED = /^(application|reference)(\.conf)?$/;

interface HoconFile extends Resolved {
  readonly notes: readonly string[];
}

/**
 * Reads a file with its includes, and resolves substitutions.
 * @param outside returns a value that no file sets, such as from the environment
 * @throws HoconError for invalid text; system errors for the file itself
 */
export function readHocon(path: string, outside: (path: string) => string | undefined): HoconFile {
  const reader = new Reader();
  const root = reader.read(path, [], []);
  return { ...resolveHocon(root, outside), notes: reader.notes };
}

class Reader {
  readonly notes: string[] = [];
  #files = 0;
  #bytes = 0;

  /** @param above files that include it, outermost first */
  read(path: string, prefix: readonly string[], above: readonly string[]): ObjectExpression {
    const place = { file: path, line: 1 };
    const text = readBounded(path, MAX_FILE);
    if (text === undefined) throw new HoconError(place, "the settings file exceeds 1 MiB");
    this.#bytes += Buffer.byteLength(text);
    if (++this.#files > MAX_FILES || this.#bytes > MAX_ALL)
      throw new HoconError(place, `more than ${MAX_FILES} files, or 4 MiB, are included`);
    return parseHocon(text, path, {
      prefix,
      include: (include, at) => this.#include(include, at, [...above, path]),
    });
  }

  #include(include: Include, at: readonly string[], above: readonly string[]): ObjectExpression | undefined {
    const { name, from, required, place } = include;
    if (from === "url" || (from === "plain" && /^[a-z][a-z0-9+.-]+:\/\//i.test(name)))
      throw new HoconError(place, "only files can be included, not URLs");
    if (from === "classpath") {
      if (!SHIPPED.test(name))
        throw new HoconError(place, "only files can be included, not classpath resources");
      this.notes.push(
        `${placeText(place)}: include classpath("${name}") has no effect: this node has its own defaults`,
      );
      return undefined;
    }
    const file = this.#findFile(resolve(dirname(above[above.length - 1]), name), from === "plain");
    if (file === undefined) {
      if (required) throw new HoconError(place, `cannot read the required file ${name}`);
      return undefined;
    }
    if (extname(file) === ".properties")
      throw new HoconError(
        place,
        "properties files are not supported: write the settings as NAME = VALUE in a .conf file",
      );
    if (above.includes(file)) throw new HoconError(place, `${name} includes itself`);
    if (above.length > MAX_INCLUDE_DEPTH)
      throw new HoconError(place, `includes are nested more than ${MAX_INCLUDE_DEPTH} deep`);
    return this.read(file, at, above);
  }

  /** With `guess`, also tries `.conf`, `.json` and `.properties`. */
  #findFile(path: string, guess: boolean): string | undefined {
    const names =
      guess && !/\.(conf|json|properties)$/.test(path)
        ? [`${path}.conf`, `${path}.json`, `${path}.properties`, path]
        : [path];
    return names.find((name) => statSync(name, { throwIfNoEntry: false })?.isFile());
  }
}
