import { durationText } from "../../bytes/durations.ts";
import type { Clock } from "../../interfaces.ts";
import type { Io } from "../io.ts";
import { formatCount } from "../numbers.ts";

interface Step {
  /** Part of `total`, in any unit. */
  readonly done: number;
  readonly total: number;
  /** Finished items, for the rate. */
  readonly count: number;
  readonly height?: number | undefined;
}

const TERMINAL_INTERVAL_MS = 200;
const LOG_INTERVAL_MS = 10_000;
const MAX_BAR_WIDTH = 24;
/** The bar is omitted if there is less room. */
const MIN_BAR_WIDTH = 6;

/** Redraws one line in a terminal, and otherwise prints lines. */
export class Progress {
  readonly #io: Io;
  readonly #clock: Clock;
  readonly #label: string;
  readonly #unit: string;
  readonly #start: number;
  #shownAt: number;
  #isDrawn = false;

  /** @param unit plural of the items: `transactions` */
  constructor(io: Io, clock: Clock, label: string, unit: string) {
    this.#io = io;
    this.#clock = clock;
    this.#label = label;
    this.#unit = unit;
    this.#start = clock.monotonic();
    this.#shownAt = this.#start;
  }

  /** In ms. */
  get elapsed(): number {
    return this.#clock.monotonic() - this.#start;
  }

  show(step: Step): void {
    const now = this.#clock.monotonic();
    const terminal = this.#io.errTerminal;
    if (now - this.#shownAt < (terminal === undefined ? LOG_INTERVAL_MS : TERMINAL_INTERVAL_MS)) return;
    this.#shownAt = now;
    const share = step.total === 0 ? 1 : Math.min(step.done / step.total, 1);
    const percent = `${Math.floor(share * 100)}%`;
    const rate = formatCount((step.count * 1_000) / Math.max(this.elapsed, 1));
    const height = step.height === undefined ? "" : `height ${formatCount(step.height)}`;
    const left = share > 0 ? durationText((this.elapsed * (1 - share)) / share) : "?";
    if (terminal === undefined) {
      const text = `${percent}, ${height === "" ? "" : `${height}, `}${rate} ${this.#unit}/s, ${left} left`;
      this.#io.err(`${this.#label}: ${text}\n`);
      return;
    }
    const unit = this.#unit === "transactions" ? "tx" : this.#unit;
    const text = ` ${percent.padStart(4)}  ${height === "" ? "" : `${height}  `}${rate} ${unit}/s  ${left} left`;
    // Some terminals start a new line after the last column.
    const columns = Math.max(terminal.columns - 1, 20);
    const bar = barText(share, columns - this.#label.length - text.length - " []".length);
    this.#io.err(`\r\x1b[K${`${this.#label}${bar}${text}`.slice(0, columns)}`);
    this.#isDrawn = true;
  }

  end(): void {
    if (this.#isDrawn) this.#io.err("\r\x1b[K");
    this.#isDrawn = false;
  }
}

function barText(share: number, room: number): string {
  if (room < MIN_BAR_WIDTH) return "";
  const width = Math.min(room, MAX_BAR_WIDTH);
  const full = Math.floor(share * width);
  return ` [${"#".repeat(full)}${"-".repeat(width - full)}]`;
}
