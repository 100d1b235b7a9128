import { estimate } from "../cost/estimator.ts";
import { type FunctionHeader, headerText } from "../expression.ts";
import { OBJECT_TYPES } from "../values/object-types.ts";
import type { ObjectType } from "../values/types.ts";
import type { NativeFunction } from "./define-native.ts";
import { NATIVE_FUNCTIONS } from "./native-functions.ts";
import { type UserFunction, userFunctions } from "./user-functions.ts";

/** Variables of every script. Page 08 §7. */
export const GLOBAL_NAMES = ["height", "tx", "unit"] as const;

const PARAMETER_COST = 5;

export const nativeFunctions: ReadonlyMap<number, NativeFunction> = new Map(
  NATIVE_FUNCTIONS.map((native) => [native.id, native]),
);

export const objectTypes: ReadonlyMap<string, ObjectType> = new Map(
  OBJECT_TYPES.map((type) => [type.name, type]),
);

const byChain = new Map<number, ReadonlyMap<string, UserFunction>>();

/** Returns the functions by internal name. @param chainId unsigned byte */
export function userFunctionsOf(chainId: number): ReadonlyMap<string, UserFunction> {
  const cached = byChain.get(chainId);
  if (cached !== undefined) return cached;
  const functions = new Map(userFunctions(chainId).map((user) => [user.internalName, user]));
  byChain.set(chainId, functions);
  return functions;
}

/** Returns the function's name in source text. */
export function functionName(header: FunctionHeader): string {
  if (header.kind === "native") return nativeFunctions.get(header.id)?.name ?? headerText(header);
  return userFunctionsOf(0).get(header.name)?.name ?? header.name;
}

const userCosts = new Map<string, number>();

/** Page 08 §12. */
export function functionCost(header: FunctionHeader): number | undefined {
  if (header.kind === "native") return nativeFunctions.get(header.id)?.cost;
  return userCosts.get(header.name);
}

for (const type of OBJECT_TYPES) userCosts.set(type.name, type.fields.length);
// A body calls only earlier functions. The chain id does not affect costs.
for (const user of userFunctions(0)) {
  const parameters = user.parameters.map(([name]) => name);
  const names = [...GLOBAL_NAMES, ...parameters];
  const body = estimate(user.body, { names, cost: functionCost });
  userCosts.set(user.internalName, body + PARAMETER_COST * parameters.length);
}
