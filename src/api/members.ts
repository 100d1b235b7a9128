/** Page 06 §4.4. */
import { JsonNumber, type JsonValue } from "../bytes/json.ts";
import { ApiError, invalidJson, type JsonProblem } from "../http/errors.ts";

const INT32_MAX = 2n ** 31n - 1n;

/** A missing or invalid member becomes a problem, and is undefined. */
export class MemberReader {
  readonly #members: ReadonlyMap<string, JsonValue> | undefined;
  readonly #path: string;
  readonly #problems: Map<string, JsonProblem[]>;

  constructor(value: JsonValue, path: string, problems: Map<string, JsonProblem[]>) {
    this.#path = path;
    this.#problems = problems;
    this.#members = value instanceof Map ? value : this.#add(path, ["error.expected.jsobject"]);
  }

  #add(path: string, msg: readonly string[], args: readonly string[] = []): undefined {
    this.#problems.set(path, [...(this.#problems.get(path) ?? []), { msg, args }]);
  }

  refuse(name: string, msg: string | readonly string[], args?: readonly string[]): undefined {
    return this.#add(`${this.#path}.${name}`, typeof msg === "string" ? [msg] : msg, args);
  }

  any(name: string): JsonValue | undefined {
    if (this.#members === undefined) return undefined;
    const value = this.#members.get(name);
    return value === undefined ? this.refuse(name, "error.path.missing") : value;
  }

  #read<T>(name: string, fault: string, read: (value: JsonValue) => T | undefined): T | undefined {
    const value = this.any(name);
    return value === undefined ? undefined : (read(value) ?? this.refuse(name, fault));
  }

  has(name: string): boolean {
    return this.#members?.has(name) === true;
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

  items(name: string): readonly MemberReader[] | undefined {
    return this.#read(name, "error.expected.jsarray", (value) =>
      Array.isArray(value)
        ? value.map((item, i) => new MemberReader(item, `${this.#path}.${name}[${i}]`, this.#problems))
        : undefined,
    );
  }

  int32(name: string): number | undefined {
    const number = this.#read(name, "error.expected.jsnumber", (value) =>
      value instanceof JsonNumber ? value : undefined,
    );
    if (number === undefined) return undefined;
    const value = number.toInt64();
    if (value === undefined || value > INT32_MAX || value < -INT32_MAX - 1n)
      return this.refuse(name, "error.expected.int");
    return Number(value);
  }
}

/** @throws ApiError error 1 with all problems */
export function readMembers<T>(json: JsonValue, read: (body: MemberReader) => T): T {
  const problems = new Map<string, JsonProblem[]>();
  const value = read(new MemberReader(json, "obj", problems));
  if (problems.size > 0) throw new ApiError(invalidJson(null, problems));
  return value;
}
