/** A copy of the sources with all additions of docs/develop.md, compiled once. */
import { execFile } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const project = join(import.meta.dirname, "../..");

/** A new file, or lines inserted before the only occurrence of `before` in a file. */
export type Edit = { readonly file: string } & (
  | { readonly content: string }
  | { readonly before: string; readonly lines: string }
);

/** An addition to the sources as docs/develop.md describes it. */
export interface Addition {
  /** Name of the addition, such as "a type of transaction". */
  readonly what: string;
  /** Maximum number of files that have to be edited or created. */
  readonly maxFiles: number;
  /** Paths are relative to the project. */
  readonly edits: readonly Edit[];
  /** Registers tests of the addition. */
  tests(copy: SourceCopy): void;
}

/** Files that an addition edits or creates. */
export function filesOf({ edits }: Addition): readonly string[] {
  return [...new Set(edits.map(({ file }) => file))];
}

/** The copy with all additions, in a temporary folder. */
export class SourceCopy {
  readonly folder = mkdtempSync(join(tmpdir(), "holdfast-additions-"));

  constructor(additions: readonly Addition[]) {
    for (const name of ["package.json", "tsconfig.json", "tsconfig.build.json", "docs/api-reference.md"])
      cpSync(join(project, name), join(this.folder, name));
    cpSync(join(project, "src"), join(this.folder, "src"), {
      recursive: true,
      filter: (path) => !path.endsWith(".test.ts"),
    });
    symlinkSync(join(project, "node_modules"), join(this.folder, "node_modules"));
    for (const { edits } of additions) for (const edit of edits) this.#apply(edit);
  }

  #apply(edit: Edit): void {
    const path = join(this.folder, edit.file);
    if ("content" in edit) {
      if (existsSync(path)) throw new Error(`${edit.file} exists already`);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, edit.content);
      return;
    }
    const text = readFileSync(path, "utf8");
    if (text.split(edit.before).length !== 2)
      throw new Error(`${edit.file} must contain exactly once: ${edit.before}`);
    writeFileSync(
      path,
      text.replace(edit.before, () => edit.lines + edit.before),
    );
  }

  /** Returns the compiler's errors about the copy; an empty string if it compiles. */
  async compile(): Promise<string> {
    const tsc = join(project, "node_modules/.bin/tsc");
    // Other tests run meanwhile: one checker takes half the processor time of four, the default.
    const options = ["--noEmit", "--checkers", "1", "-p", "tsconfig.build.json"];
    const { stdout } = await promisify(execFile)(tsc, options, { cwd: this.folder }).catch(
      // A failing compiler exits with a code after printing its errors.
      (failure: { readonly stdout: string }) => failure,
    );
    return stdout;
  }

  /** Loads modules of the copy. @param paths below `src`, by name */
  async load<T extends object>(paths: { readonly [name in keyof T]: string }): Promise<T> {
    const loaded: [string, unknown][] = [];
    for (const [name, path] of Object.entries<string>(paths))
      loaded.push([name, await import(join(this.folder, "src", path))]);
    // Each module has the types of its original.
    return Object.fromEntries(loaded) as T;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
