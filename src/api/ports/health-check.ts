import type { NodeControl, NodeHealth } from "../../control/index.ts";
import type { Cancel, Clock } from "../../interfaces.ts";
import { UnavailableError } from "../../runtime/rpc.ts";

const TIMEOUT_MS = 800;

export type HealthCheckResult =
  | { readonly kind: "answered"; readonly health: NodeHealth }
  /** The node's thread did not answer in time. */
  | { readonly kind: "silent"; readonly silentMs: number }
  /** The node is stopping. */
  | { readonly kind: "closing" };

interface Waiting {
  readonly settle: (result: HealthCheckResult) => void;
  readonly reject: (error: unknown) => void;
  readonly cancel: Cancel;
}

/** Simultaneous checks share one call. */
export class HealthCheck {
  readonly #control: Pick<NodeControl, "node">;
  readonly #clock: Pick<Clock, "monotonic" | "after">;
  readonly #waiting = new Set<Waiting>();
  #isAsking = false;
  /** Start of the oldest call since the last answer, monotonic, ms. */
  #silentSince: number | undefined;

  constructor(control: Pick<NodeControl, "node">, clock: Pick<Clock, "monotonic" | "after">) {
    this.#control = control;
    this.#clock = clock;
  }

  /**
   * Resolves within `TIMEOUT_MS`.
   * @throws Error if the node cannot determine its health
   */
  run(): Promise<HealthCheckResult> {
    return new Promise((settle, reject) => {
      const cancel = this.#clock.after(TIMEOUT_MS, () => {
        this.#waiting.delete(waiting);
        settle({ kind: "silent", silentMs: this.#silentMs });
      });
      const waiting: Waiting = { settle, reject, cancel };
      this.#waiting.add(waiting);
      if (!this.#isAsking) this.#ask();
    });
  }

  get #silentMs(): number {
    const now = this.#clock.monotonic();
    return now - (this.#silentSince ?? now);
  }

  #ask(): void {
    this.#isAsking = true;
    this.#silentSince ??= this.#clock.monotonic();
    this.#control.node.health().then(
      (health) => {
        this.#silentSince = undefined;
        this.#settle(({ settle }) => settle({ kind: "answered", health }));
      },
      (error: unknown) => {
        if (!(error instanceof UnavailableError)) {
          this.#silentSince = undefined;
          this.#settle(({ reject }) => reject(error));
        } else if (error.reason === "closing") this.#settle(({ settle }) => settle({ kind: "closing" }));
        else this.#settle(({ settle }) => settle({ kind: "silent", silentMs: this.#silentMs }));
      },
    );
  }

  #settle(settleOne: (waiting: Waiting) => void): void {
    this.#isAsking = false;
    for (const waiting of this.#waiting) {
      waiting.cancel();
      settleOne(waiting);
    }
    this.#waiting.clear();
  }
}
