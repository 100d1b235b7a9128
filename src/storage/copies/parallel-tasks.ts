/** Runs a limited number of tasks at the same time. */
export class ParallelTasks {
  readonly #limit: number;
  readonly #running = new Set<Promise<void>>();
  #failure: { readonly error: unknown } | undefined;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Starts a task, when fewer than the limit are running. @throws the error of the first task that failed */
  async add(task: () => Promise<void>): Promise<void> {
    while (this.#running.size >= this.#limit) await Promise.race(this.#running);
    this.#check();
    const running: Promise<void> = task()
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Waits for all tasks. @throws the error of the first task that failed */
  async end(): Promise<void> {
    await Promise.all(this.#running);
    this.#check();
  }

  /** Waits for all tasks, and ignores their errors: another one is thrown. */
  async abandon(): Promise<void> {
    await Promise.all(this.#running);
  }

  #check(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}
