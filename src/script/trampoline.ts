/**
 * Recursion on a stack of our own: a valid script nests deeper than the host's stack may be, and source text deeper
 * still. A task is a generator that yields the task whose result it needs and is resumed with it.
 */
export interface Task<T> extends Generator<Task<T>, T, T> {}

/**
 * Runs a task and the tasks it asks for. An error thrown by a task is thrown into the one that waits for it, and out
 * of here when none catches it.
 */
export function runTask<T>(first: Task<T>): T {
  const waiting: Task<T>[] = [];
  let task = first;
  let step = task.next();
  for (;;) {
    try {
      while (!step.done) {
        waiting.push(task);
        task = step.value;
        step = task.next();
      }
      const caller = waiting.pop();
      if (caller === undefined) return step.value;
      task = caller;
      step = task.next(step.value);
    } catch (error) {
      step = throwIntoCallers(waiting, error);
      // `raise` left the task that caught the error on top.
      task = waiting.pop() as Task<T>;
    }
  }
}

/** Throws an error into the waiting tasks, innermost first, until one goes on; leaves that one on top. */
function throwIntoCallers<T>(waiting: Task<T>[], first: unknown): IteratorResult<Task<T>, T> {
  let error = first;
  for (let caller = waiting.at(-1); caller !== undefined; caller = waiting.at(-1)) {
    try {
      return caller.throw(error);
    } catch (next) {
      error = next;
      waiting.pop();
    }
  }
  throw error;
}
