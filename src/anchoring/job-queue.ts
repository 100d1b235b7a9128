/** Stores jobs and dispatches (transactions for jobs) on disk until the transactions are final. */
import { bytesKey } from "../bytes/compare.ts";
import type { WriteBatch } from "../storage/batch/write-batch.ts";
import { DiskError } from "../storage/disk/disk-error.ts";
import type { Store } from "../storage/store.ts";
import { LEAF_BYTES, MAX_LEAVES_PER_WRITE, nextTreeNumber, rootOfLeaf, TreeWriter } from "./leaves.ts";
import { anchorTables, type Job, type JobKind } from "./tables.ts";

export interface QueuedJob extends Job {
  readonly serial: number;
  /** Undefined while the job waits to be sent. */
  dispatch: QueuedDispatch | undefined;
}

export interface QueuedDispatch {
  readonly id: Uint8Array;
  readonly bytes: Uint8Array;
  readonly jobs: readonly QueuedJob[];
}

/** `known`: already queued, or its root is on the chain; `full`: no room. */
export type AddResult = "added" | "known" | "full";

interface UnsavedJob {
  readonly job: QueuedJob;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** The limit for all jobs is this multiple of the limit for waiting jobs. */
const TOTAL_LIMIT_FACTOR = 10;

/** Returns true if a job can be a leaf of a Merkle tree. */
export function canBeLeaf({ kind, content }: Pick<Job, "kind" | "content">): boolean {
  return kind === "hash" && content.length === LEAF_BYTES;
}

const keyOf = (kind: JobKind, content: Uint8Array): string => `${kind} ${bytesKey(content)}`;

/** A commit of this many jobs takes a few milliseconds. */
const MAX_JOBS_PER_COMMIT = 4_096;

export class JobQueue {
  readonly #store: Store;
  readonly #limit: number;
  readonly #onFatalError: (error: DiskError) => void;
  /** By serial, oldest first. */
  readonly #jobs = new Map<number, QueuedJob>();
  readonly #waiting = new Map<number, QueuedJob>();
  /** Jobs whose transaction was rejected; they are sent first. */
  readonly #returned = new Map<number, QueuedJob>();
  #waitingLeafCount = 0;
  readonly #byContent = new Map<string, QueuedJob>();
  readonly #dispatches = new Map<string, QueuedDispatch>();
  #unsaved: UnsavedJob[] = [];
  readonly #saving = new Map<QueuedJob, Promise<void>>();
  #nextSerial = 1;
  #writes: Promise<unknown> = Promise.resolve();

  /** @param onFatalError called if a disk failure requires a restart */
  constructor(store: Store, limit: number, onFatalError: (error: DiskError) => void) {
    this.#store = store;
    this.#limit = limit;
    this.#onFatalError = onFatalError;
    for (const [serial, job] of store.range(anchorTables.jobs))
      this.#register({ ...job, serial, dispatch: undefined });
    for (const [id, { serials, bytes }] of store.range(anchorTables.dispatches)) {
      const jobs = serials.flatMap((serial) => this.#jobs.get(serial) ?? []);
      this.#registerDispatch({ id: Uint8Array.from(id), bytes, jobs });
    }
  }

  get size(): number {
    return this.#jobs.size;
  }

  get limit(): number {
    return this.#limit;
  }

  get waitingCount(): number {
    return this.#waiting.size + this.#returned.size;
  }

  get waitingLeafCount(): number {
    return this.#waitingLeafCount;
  }

  /** Yields waiting jobs that are on disk, first those of rejected transactions. */
  *waiting(): Generator<QueuedJob> {
    yield* this.#returned.values();
    for (const job of this.#waiting.values()) if (!this.#saving.has(job)) yield job;
  }

  oldestWaiting(limit: number, accepts: (job: QueuedJob) => boolean): QueuedJob[] {
    const found: QueuedJob[] = [];
    for (const job of this.waiting()) {
      if (accepts(job)) found.push(job);
      if (found.length >= limit) break;
    }
    return found;
  }

  dispatches(): IterableIterator<QueuedDispatch> {
    return this.#dispatches.values();
  }

  get dispatchCount(): number {
    return this.#dispatches.size;
  }

  hasDispatch({ id }: QueuedDispatch): boolean {
    return this.#dispatches.has(bytesKey(id));
  }

  get freeSlots(): number {
    const room = Math.min(
      this.#limit - this.waitingCount,
      TOTAL_LIMIT_FACTOR * this.#limit - this.#jobs.size,
    );
    return Math.max(0, room);
  }

  find(kind: JobKind, content: Uint8Array): QueuedJob | undefined {
    return this.#byContent.get(keyOf(kind, content));
  }

  rootOf(hash: Uint8Array): Uint8Array | undefined {
    return rootOfLeaf(this.#store, hash);
  }

  /**
   * Resolves when the job is on disk.
   * @param since time of the request, ms
   * @throws DiskError; the job is then not queued
   */
  async add(kind: JobKind, content: Uint8Array, since: number): Promise<AddResult> {
    const queued = this.find(kind, content);
    if (queued !== undefined) {
      await this.#saving.get(queued);
      return "known";
    }
    if (this.freeSlots === 0) return "full";
    const job: QueuedJob = { kind, content, since, serial: this.#nextSerial, dispatch: undefined };
    this.#register(job);
    const saved = new Promise<void>((resolve, reject) => this.#unsaved.push({ job, resolve, reject }));
    this.#saving.set(job, saved);
    if (this.#unsaved.length === 1) void this.#enqueueWrite(() => this.#saveJobs());
    try {
      await saved;
    } catch (error) {
      this.#unregister(job);
      throw error;
    } finally {
      this.#saving.delete(job);
    }
    return "added";
  }

  async #saveJobs(): Promise<void> {
    const unsaved = this.#unsaved.splice(0, MAX_JOBS_PER_COMMIT);
    if (this.#unsaved.length > 0) void this.#enqueueWrite(() => this.#saveJobs());
    try {
      await this.#save((batch) => {
        for (const { job } of unsaved) batch.put(anchorTables.jobs, job.serial, job);
      });
      for (const { resolve } of unsaved) resolve();
    } catch (error) {
      for (const { reject } of unsaved) reject(error);
    }
  }

  /**
   * Stores a transaction for waiting jobs. Broadcast it after the promise resolves.
   * @throws DiskError; nothing is then changed
   */
  async dispatch(id: Uint8Array, bytes: Uint8Array, jobs: readonly QueuedJob[]): Promise<QueuedDispatch> {
    const serials = jobs.map(({ serial }) => serial);
    await this.#write((batch) => batch.put(anchorTables.dispatches, id, { serials, bytes }));
    const dispatch = { id, bytes, jobs };
    this.#registerDispatch(dispatch);
    return dispatch;
  }

  /** Removes a dispatch; its jobs wait again. @throws DiskError */
  async release({ id, jobs }: QueuedDispatch): Promise<void> {
    await this.#write((batch) => batch.remove(anchorTables.dispatches, id));
    this.#dispatches.delete(bytesKey(id));
    for (const job of jobs) {
      job.dispatch = undefined;
      this.#returned.set(job.serial, job);
      if (canBeLeaf(job)) this.#waitingLeafCount++;
    }
  }

  /** Removes a final transaction and its jobs. @throws DiskError */
  async finish({ id, jobs }: QueuedDispatch): Promise<void> {
    await this.#write((batch) => {
      batch.remove(anchorTables.dispatches, id);
      for (const { serial } of jobs) batch.remove(anchorTables.jobs, serial);
    });
    this.#dispatches.delete(bytesKey(id));
    for (const job of jobs) this.#unregister(job);
  }

  async drop(jobs: readonly QueuedJob[]): Promise<void> {
    for (let from = 0; from < jobs.length; from += MAX_JOBS_PER_COMMIT) {
      const slice = jobs.slice(from, from + MAX_JOBS_PER_COMMIT);
      await this.#write((batch) => {
        for (const { serial } of slice) batch.remove(anchorTables.jobs, serial);
      });
      for (const job of slice) this.#unregister(job);
    }
  }

  /**
   * Replaces hashes with one job for the root of their Merkle tree. After a crash, call `dropLeaves` to finish.
   * @param since time of the new job, ms
   * @returns the root
   * @throws DiskError
   */
  async replaceWithTree(jobs: readonly QueuedJob[], since: number): Promise<Uint8Array> {
    const writer = new TreeWriter(nextTreeNumber(this.#store));
    const leaves = jobs.map(({ content }) => content);
    const lastWriteStart = Math.floor((leaves.length - 1) / MAX_LEAVES_PER_WRITE) * MAX_LEAVES_PER_WRITE;
    for (let from = 0; from < lastWriteStart; from += MAX_LEAVES_PER_WRITE)
      await this.#write((batch) => writer.add(batch, leaves.slice(from, from + MAX_LEAVES_PER_WRITE)));
    const serial = this.#nextSerial++;
    const content = await this.#write((batch) => {
      writer.add(batch, leaves.slice(lastWriteStart));
      const root = writer.finish(batch);
      batch.put(anchorTables.jobs, serial, { kind: "root", content: root, since });
      return root;
    });
    this.#register({ kind: "root", content, since, serial, dispatch: undefined });
    await this.drop(jobs);
    return content;
  }

  /** Removes waiting hashes that are leaves of a stored tree. @throws DiskError */
  async dropLeaves(): Promise<void> {
    await this.drop(
      [...this.waiting()].filter(
        ({ kind, content }) => kind === "hash" && this.rootOf(content) !== undefined,
      ),
    );
  }

  /**
   * Stores a named value, removes jobs with their transactions, and adds jobs, in one commit.
   * @param since time of the new jobs, ms
   * @throws DiskError; nothing is then changed
   */
  async replaceJobs(
    namedValue: { readonly name: Uint8Array; readonly value: Uint8Array },
    removed: readonly QueuedJob[],
    added: readonly Pick<Job, "kind" | "content">[],
    since: number,
  ): Promise<void> {
    const newJobs = added.map(
      ({ kind, content }): QueuedJob => ({
        kind,
        content,
        since,
        serial: this.#nextSerial++,
        dispatch: undefined,
      }),
    );
    await this.#write((batch) => {
      batch.put(anchorTables.facts, namedValue.name, namedValue.value);
      for (const { serial, dispatch } of removed) {
        batch.remove(anchorTables.jobs, serial);
        if (dispatch !== undefined) batch.remove(anchorTables.dispatches, dispatch.id);
      }
      for (const job of newJobs) batch.put(anchorTables.jobs, job.serial, job);
    });
    for (const job of removed) {
      this.#unregister(job);
      if (job.dispatch !== undefined) this.#dispatches.delete(bytesKey(job.dispatch.id));
    }
    for (const job of newJobs) this.#register(job);
  }

  readNamedValue(name: Uint8Array): Uint8Array | undefined {
    return this.#store.get(anchorTables.facts, name);
  }

  async whenWritten(): Promise<void> {
    await this.#writes;
  }

  #register(job: QueuedJob): void {
    this.#jobs.set(job.serial, job);
    this.#waiting.set(job.serial, job);
    if (canBeLeaf(job)) this.#waitingLeafCount++;
    this.#byContent.set(keyOf(job.kind, job.content), job);
    this.#nextSerial = Math.max(this.#nextSerial, job.serial + 1);
  }

  #unregister(job: QueuedJob): void {
    this.#jobs.delete(job.serial);
    this.#stopWaiting(job);
    this.#byContent.delete(keyOf(job.kind, job.content));
  }

  #registerDispatch(dispatch: QueuedDispatch): void {
    this.#dispatches.set(bytesKey(dispatch.id), dispatch);
    for (const job of dispatch.jobs) {
      job.dispatch = dispatch;
      this.#stopWaiting(job);
    }
  }

  #stopWaiting(job: QueuedJob): void {
    const waited = this.#waiting.delete(job.serial) || this.#returned.delete(job.serial);
    if (waited && canBeLeaf(job)) this.#waitingLeafCount--;
  }

  #write<T>(writing: (batch: WriteBatch) => T): Promise<T> {
    return this.#enqueueWrite(() => this.#save(writing));
  }

  async #save<T>(writing: (batch: WriteBatch) => T): Promise<T> {
    try {
      return await this.#store.writeAsync(writing);
    } catch (error) {
      if (error instanceof DiskError && error.lasting) this.#onFatalError(error);
      throw error;
    }
  }

  #enqueueWrite<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#writes.then(work);
    // The caller gets the error; later writes still run.
    this.#writes = done.catch(() => {});
    return done;
  }
}
