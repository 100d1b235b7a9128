/** Arguments and answers are plain data. */
type Signature = (...args: never[]) => Promise<unknown>;

/** Carries a call's type without a value at run time. */
export interface Typed<Call extends Signature> {
  readonly type?: Call;
}

export function query<Call extends Signature>() {
  return { mutates: false, call: {} as Typed<Call> } as const;
}

export function command<Call extends Signature>() {
  return { mutates: true, call: {} as Typed<Call> } as const;
}

export function timedCommand<Call extends Signature>() {
  return { ...command<Call>(), deadline: true } as const;
}

/** Lets callers on other machines call the method. */
export function remotely<const Method extends ControlMethod>(maxRemoteArguments: number, method: Method) {
  return { ...method, maxRemoteArguments };
}

export interface ControlMethod {
  readonly mutates: boolean;
  /** Maximum number of arguments from another machine; undefined: only the node's threads may call the method. */
  readonly maxRemoteArguments?: number;
  /**
   * Set if the call may wait for other work. The RPC port adds a last argument: the deadline (monotonic, ms). After the
   * deadline the call does nothing and fails as `late`.
   */
  readonly deadline?: true;
  /** True if the call skips the queue and its limit. */
  readonly urgent?: true;
  /** True if concurrent callers share one call. Only for methods without arguments. */
  readonly shared?: true;
  readonly call: Typed<Signature>;
  /** Returns bytes of the answer that the RPC port may transfer instead of copying: no other code uses them. */
  readonly owned?: (answer: never) => Uint8Array;
}

export type ControlTopic = Readonly<Record<string, ControlMethod>>;

export function defineControl<const Topic extends ControlTopic>(topic: Topic): Topic {
  return topic;
}

type CallOf<Method> = Method extends { readonly call: Typed<infer Call> } ? Call : never;

export type ControlMethodsOf<Topic> = { readonly [name in keyof Topic]: CallOf<Topic[name]> };

export type ControlHandlersOf<Topic> = {
  readonly [name in keyof Topic]: Topic[name] extends { readonly deadline: true }
    ? (...args: [...Parameters<CallOf<Topic[name]>>, deadline?: number]) => ReturnType<CallOf<Topic[name]>>
    : CallOf<Topic[name]>;
};
