/**
 * A generator that yields each task whose result it needs: recursion without the call stack, which is too small for
 * scripts and source text.
 */
export interface Task<T> extends Generator<Task<T>, T, T> {}

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
      task = waiting.pop() as Task<T>;
    }
  }
}

/** Throws an error into waiting tasks, innermost first. Leaves the task that catches it on top. */
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
