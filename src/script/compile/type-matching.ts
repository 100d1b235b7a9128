/** Page 08 §6. */
import { failed, ok, type Result } from "../../errors/result.ts";
import {
  commonType,
  covers,
  listText,
  membersOf,
  type ParameterType,
  type SingleType,
  type Type,
  type TypeParameter,
  typeText,
} from "../values/types.ts";

/** Inferred types by type parameter code. */
export type Substitution = ReadonlyMap<number, Type>;

/** Adds inferred types to `found`. Returns an error's text, if any. */
function matchArgument(
  argument: Type,
  parameter: ParameterType,
  found: Map<number, Type[]>,
): string | undefined {
  const mismatch = () =>
    `Non-matching types: expected: ${typeText(parameter)}, actual: ${typeText(argument)}`;
  if (argument.kind === "nothing") return undefined;
  switch (parameter.kind) {
    case "parameter": {
      const types = found.get(parameter.code);
      if (types === undefined) found.set(parameter.code, [argument]);
      else types.push(argument);
      return undefined;
    }
    case "parameter list":
      return argument.kind === "list"
        ? matchArgument(argument.element, parameter.element, found)
        : mismatch();
    case "parameter union": {
      const isConcrete = (member: (typeof parameter.members)[number]): member is SingleType =>
        member.kind !== "parameter" && member.kind !== "parameter list";
      const concrete: Type = { kind: "union", members: parameter.members.filter(isConcrete) };
      if (covers(concrete, argument)) return undefined;
      const generic = parameter.members.filter((member) => !isConcrete(member));
      if (generic.length !== 1) {
        return `Can't resolve correct type for parameterized ${typeText(parameter)}, actual: ${typeText(argument)}`;
      }
      return matchArgument(
        argument.kind === "union" ? without(argument, concrete) : argument,
        generic[0],
        found,
      );
    }
    default:
      if (argument.kind === "list" && parameter.kind === "list") {
        return matchArgument(argument.element, parameter.element, found);
      }
      return covers(parameter, argument) ? undefined : mismatch();
  }
}

/** If one member remains, returns it instead of a union. */
function without(union: Type, removed: Type): Type {
  const members = membersOf(union).filter((member) => !covers(removed, member));
  return members.length === 1 ? members[0] : { kind: "union", members };
}

/** Returns an error's text if the types do not match. */
function resolve(code: number, types: readonly Type[]): Type | string {
  if (types.length === 1) return types[0];
  const joined = types.reduce(commonType);
  if (joined.kind !== "union") return joined;
  if (!joined.members.some((member) => types.every((type) => covers(type, member)))) {
    const parameter: TypeParameter = { kind: "parameter", code };
    return `Can't match inferred types of ${typeText(parameter)} over ${listText(types)}`;
  }
  return joined.members.length === 1 ? joined.members[0] : joined;
}

/** Fails with the first error in argument order. */
export function matchTypes(
  pairs: readonly (readonly [argument: Type, parameter: ParameterType])[],
): Result<Substitution, string> {
  const found = new Map<number, Type[]>();
  for (const [argument, parameter] of pairs) {
    const error = matchArgument(argument, parameter, found);
    if (error !== undefined) return failed(error);
  }
  const substitution = new Map<number, Type>();
  for (const [code, types] of found) {
    const resolved = resolve(code, types);
    if (typeof resolved === "string") return failed(resolved);
    substitution.set(code, resolved);
  }
  return ok(substitution);
}
