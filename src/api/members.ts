/** Reads members of requests other than transactions, and collects what is wrong with them. Page 06 §4.4. */
import { JsonNumber, type JsonValue } from "../bytes/json.ts";
import { ApiError, invalidJson, type JsonProblem } from "../http/errors.ts";

const INT32_MAX = 2n ** 31n - 1n;

/** Problems of one request, by path. */
export class RequestProblems {
  readonly #byPath = new Map<string, JsonProblem[]>();

  /** Adds a problem. The caller may use the returned undefined as a value: `check` throws before anyone reads it. */
  add(path: string, msg: string | readonly string[], args: readonly string[] = []): undefined {
    const problem = { msg: typeof msg === "string" ? [msg] : msg, args };
    this.#byPath.set(path, [...(this.#byPath.get(path) ?? []), problem]);
    return undefined;
  }

  /** @throws ApiError error 1 if there are problems */
  check(): void {
    if (this.#byPath.size > 0) throw new ApiError(invalidJson(null, this.#byPath));
  }
}

/** Reads members of an object by type. An invalid member is noted as a problem and read as undefined. */
export class MemberReader {
  readonly #members: ReadonlyMap<string, JsonValue> | undefined;
  readonly #path: string;
  readonly #problems: RequestProblems;

  /** @param path of the object in the request; `obj` for the whole body */
  constructor(value: JsonValue, path: string, problems: RequestProblems) {
    this.#members = value instanceof Map ? value : problems.add(path, "error.expected.jsobject");
    this.#path = path;
    this.#problems = problems;
  }

  /** Reads a member. @param fault the problem to note if `read` returns undefined */
  #read<T>(name: string, fault: string, read: (value: JsonValue) => T | undefined): T | undefined {
    if (this.#members === undefined) return undefined;
    const path = this.path(name);
    const value = this.#members.get(name);
    if (value === undefined) return this.#problems.add(path, "error.path.missing");
    return read(value) ?? this.#problems.add(path, fault);
  }

  path(name: string): string {
    return `${this.#path}.${name}`;
  }

  text(name: string): string | undefined {
    return this.#read(name, "error.expected.jsstring", (value) =>
      typeof value === "string" ? value : undefined,
    );
  }

  flag(name: string): boolean | undefined {
    return this.#read(name, "error.expected.jsboolean", (value) =>
      typeof value === "boolean" ? value : undefined,
    );
  }

  list(name: string): readonly JsonValue[] | undefined {
    return this.#read(name, "error.expected.jsarray", (value) => (Array.isArray(value) ? value : undefined));
  }

  int32(name: string): number | undefined {
    const number = this.#read(name, "error.expected.jsnumber", (value) =>
      value instanceof JsonNumber ? value : undefined,
    );
    if (number === undefined) return undefined;
    const value = number.toInt64();
    if (value === undefined || value > INT32_MAX || value < -INT32_MAX - 1n) {
      return this.#problems.add(this.path(name), "error.expected.int");
    }
    return Number(value);
  }
}
