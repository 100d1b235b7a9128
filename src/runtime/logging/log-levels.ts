import {
  LOG_AREAS,
  LOG_LEVELS,
  type LogArea,
  type LogLevel,
  type LogLevelPlan,
} from "../../control/log-level.ts";

const DEFAULT = LOG_AREAS.length;
/** Marks an area that uses the default level. */
const INHERITED = -1;

/** Levels in shared memory: changes apply to all threads. */
export class LogLevels {
  readonly shared: SharedArrayBuffer;
  /** Positions in `LOG_LEVELS`: one per area, then the default. */
  readonly #ranks: Int32Array;

  constructor(shared = new SharedArrayBuffer(4 * (LOG_AREAS.length + 1))) {
    this.shared = shared;
    this.#ranks = new Int32Array(shared);
  }

  static of({ level, areas }: LogLevelPlan): LogLevels {
    const levels = new LogLevels();
    levels.set(level);
    for (const area of LOG_AREAS) {
      const own = areas[area];
      if (own !== undefined) levels.set(own, area);
    }
    return levels;
  }

  set(level: LogLevel, area?: LogArea): void {
    const rank = LOG_LEVELS.indexOf(level);
    if (area !== undefined) {
      Atomics.store(this.#ranks, LOG_AREAS.indexOf(area), rank);
      return;
    }
    Atomics.store(this.#ranks, DEFAULT, rank);
    for (let i = 0; i < DEFAULT; i++) Atomics.store(this.#ranks, i, INHERITED);
  }

  get plan(): LogLevelPlan {
    const areas = LOG_AREAS.flatMap((area, i) => {
      const rank = Atomics.load(this.#ranks, i);
      return rank === INHERITED ? [] : [[area, LOG_LEVELS[rank]] as const];
    });
    return { level: LOG_LEVELS[Atomics.load(this.#ranks, DEFAULT)], areas: Object.fromEntries(areas) };
  }

  /** @param area position in `LOG_AREAS` */
  isEnabled(level: LogLevel, area: number): boolean {
    const own = Atomics.load(this.#ranks, area);
    const minimum = own === INHERITED ? Atomics.load(this.#ranks, DEFAULT) : own;
    return LOG_LEVELS.indexOf(level) >= minimum;
  }
}
