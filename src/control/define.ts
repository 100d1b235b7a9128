/** Declarations of the calls to the node. */

/** Plain data; the answer may come from another thread. */
type Signature = (...args: never[]) => Promise<unknown>;

/** Only a type. */
export interface Typed<Call extends Signature> {
  readonly type?: Call;
}

/** Declares a call that changes nothing. */
export function query<Call extends Signature>() {
  return { mutates: false, call: {} as Typed<Call> } as const;
}

/** Declares a call that changes chain, pool, wallet or node. */
export function command<Call extends Signature>() {
  return { mutates: true, call: {} as Typed<Call> } as const;
}

/** Declares a command with a deadline. */
export function timedCommand<Call extends Signature>() {
  return { ...command<Call>(), deadline: true } as const;
}

/** The port, its deadlines and what a guest may call are derived from it. */
export interface ControlMethod {
  readonly mutates: boolean;
  /**
   * The call may wait for a check or a change in progress. It gets its deadline after its arguments (ms by the node's
   * monotonic clock). After the deadline it does nothing and fails as `late`.
   */
  readonly deadline?: true;
  /** True if it skips the queue. */
  readonly urgent?: true;
  readonly call: Typed<Signature>;
  /** Bytes of an answer that nothing else uses: transferred, not copied. */
  readonly owned?: (answer: never) => Uint8Array;
}

export type ControlTopic = Readonly<Record<string, ControlMethod>>;

export function defineControl<const Topic extends ControlTopic>(topic: Topic): Topic {
  return topic;
}

type CallOf<Method> = Method extends { readonly call: Typed<infer Call> } ? Call : never;

export type ControlMethodsOf<Topic> = { readonly [name in keyof Topic]: CallOf<Topic[name]> };

/** A declared deadline follows the arguments; undefined means no deadline. */
export type ControlHandlersOf<Topic> = {
  readonly [name in keyof Topic]: Topic[name] extends { readonly deadline: true }
    ? (...args: [...Parameters<CallOf<Topic[name]>>, deadline?: number]) => ReturnType<CallOf<Topic[name]>>
    : CallOf<Topic[name]>;
};
