import { type NativeFunction, workOf } from "../library/define-native.ts";
import type { Value } from "../values/values.ts";
import { Equality } from "./equality.ts";
import { ScriptWork } from "./work.ts";

interface CachedCall {
  readonly args: readonly Value[];
  readonly result: Value;
}

/** Caches results of memoized native functions, which are pure. Compares byte strings and objects by identity. */
export class CallCache {
  readonly #work: ScriptWork;
  readonly equality: Equality;
  /** Calls whose first argument is a byte string, by function and this argument. */
  readonly #byFirst = new Map<NativeFunction, Map<Value, CachedCall[]>>();
  /** Each function's last call whose first argument is not a byte string. */
  readonly #last = new Map<NativeFunction, CachedCall>();

  constructor(work: ScriptWork = new ScriptWork()) {
    this.#work = work;
    this.equality = new Equality(work);
  }

  /** @throws the function's errors, and WorkLimitError */
  apply(callee: NativeFunction, args: readonly Value[]): Value {
    if (!callee.isMemoized) {
      this.#work.charge(workOf(callee, args));
      return callee.apply(args, this.equality);
    }
    const cached = this.#find(callee, args);
    if (cached !== undefined) return cached.result;
    this.#work.charge(workOf(callee, args));
    const call: CachedCall = { args, result: callee.apply(args, this.equality) };
    this.#store(callee, call);
    return call.result;
  }

  #find(callee: NativeFunction, args: readonly Value[]): CachedCall | undefined {
    const isSame = (call: CachedCall | undefined) =>
      call?.args.length === args.length && call.args.every((arg, i) => arg === args[i]);
    if (args[0] instanceof Uint8Array) return this.#byFirst.get(callee)?.get(args[0])?.find(isSame);
    const last = this.#last.get(callee);
    return isSame(last) ? last : undefined;
  }

  #store(callee: NativeFunction, call: CachedCall): void {
    const [first] = call.args;
    if (!(first instanceof Uint8Array)) {
      this.#last.set(callee, call);
      return;
    }
    const calls = this.#byFirst.get(callee) ?? new Map<Value, CachedCall[]>();
    this.#byFirst.set(callee, calls);
    const callsWithFirst = calls.get(first);
    if (callsWithFirst === undefined) calls.set(first, [call]);
    else callsWithFirst.push(call);
  }
}
