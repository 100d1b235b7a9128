/** Plain data; the answer may come from another thread. */
type Signature = (...args: never[]) => Promise<unknown>;

/** Carries a type; has no value. */
export interface Typed<Call extends Signature> {
  readonly type?: Call;
}

/** Declares a call that changes nothing. */
export function query<Call extends Signature>() {
  return { mutates: false, call: {} as Typed<Call> } as const;
}

/** Declares a call that changes anything. */
export function command<Call extends Signature>() {
  return { mutates: true, call: {} as Typed<Call> } as const;
}

export function timedCommand<Call extends Signature>() {
  return { ...command<Call>(), deadline: true } as const;
}

/** The port derives its deadlines and the allowed calls from it. */
export interface ControlMethod {
  readonly mutates: boolean;
  /**
   * The call may wait for a check or a change in progress. Its deadline follows the arguments (ms of the
   * node's monotonic clock); after it, the call does nothing and fails as `late`.
   */
  readonly deadline?: true;
  /** True if it skips the queue. */
  readonly urgent?: true;
  readonly call: Typed<Signature>;
  /** Bytes that nothing else uses: transferred, not copied. */
  readonly owned?: (answer: never) => Uint8Array;
}

export type ControlTopic = Readonly<Record<string, ControlMethod>>;

export function defineControl<const Topic extends ControlTopic>(topic: Topic): Topic {
  return topic;
}

type CallOf<Method> = Method extends { readonly call: Typed<infer Call> } ? Call : never;

export type ControlMethodsOf<Topic> = { readonly [name in keyof Topic]: CallOf<Topic[name]> };

/** Undefined means no deadline. */
export type ControlHandlersOf<Topic> = {
  readonly [name in keyof Topic]: Topic[name] extends { readonly deadline: true }
    ? (...args: [...Parameters<CallOf<Topic[name]>>, deadline?: number]) => ReturnType<CallOf<Topic[name]>>
    : CallOf<Topic[name]>;
};
