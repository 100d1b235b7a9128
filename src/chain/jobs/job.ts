/** What the jobs of an operator share: they pause, say how far they are, and end when they are asked to. */
export { pause } from "../writing/pace.ts";

/** A job was asked to end, and did. What it had committed stays. */
export class JobStoppedError extends Error {
  override readonly name = "JobStoppedError";
  constructor(what: string) {
    super(`Stopped: ${what}`);
  }
}

/** What a job may be told and asked. */
export interface JobOptions {
  /** Called some times a second, or more rarely. */
  readonly progress?: ((progress: JobProgress) => void) | undefined;
  /** Asked many times a second: the job ends as soon as this says so. */
  readonly isStopped?: (() => boolean) | undefined;
}

/** How much is done of how much there is, in whatever unit. */
export interface JobProgress {
  readonly done: number;
  readonly total: number;
}
