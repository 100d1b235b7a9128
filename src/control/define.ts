/** How the methods are declared by which the node is asked for something, and what follows from a declaration. */

/** A function of plain data whose answer may come from another thread. */
type Signature = (...args: never[]) => Promise<unknown>;

/** What a method takes and answers: a type alone, which is not there when the code runs. */
export interface Typed<Call extends Signature> {
  readonly call?: Call;
}

/** What a method takes and answers, for its declaration. */
export function typed<Call extends Signature>(): Typed<Call> {
  return {};
}

/** A method, declared once: the port, its deadlines and what a guest may call follow from this. */
export interface ControlMethod {
  /** Whether it changes chain, pool, wallet or node; all others only tell. */
  readonly mutates: boolean;
  /**
   * Whether it waits once more on its way, for a check or a change that is under way. Then it is told the deadline of
   * the call behind its arguments (ms by the node's monotonic clock): past it nothing is done, and the call fails as
   * `late`.
   */
  readonly deadline?: true;
  /** Whether it is done as soon as it arrives, however much is under way. */
  readonly urgent?: true;
  readonly call: Typed<Signature>;
  /** The bytes of an answer that were made for it alone: they are handed over, not copied. */
  readonly owned?: (answer: never) => Uint8Array;
}

/** The methods of one topic, by name. */
export type ControlTopic = Readonly<Record<string, ControlMethod>>;

/** Declares the methods of a topic. */
export function defineControl<const Topic extends ControlTopic>(topic: Topic): Topic {
  return topic;
}

type CallOf<Method> = Method extends { readonly call: Typed<infer Call> } ? Call : never;

/** A topic as it is asked. */
export type ControlMethodsOf<Topic> = { readonly [name in keyof Topic]: CallOf<Topic[name]> };

/** A topic as the node does it: where a deadline is declared, it follows the arguments; never unless given. */
export type ControlHandlersOf<Topic> = {
  readonly [name in keyof Topic]: Topic[name] extends { readonly deadline: true }
    ? (...args: [...Parameters<CallOf<Topic[name]>>, deadline?: number]) => ReturnType<CallOf<Topic[name]>>
    : CallOf<Topic[name]>;
};
