/** Places that are held for long, such as those of readers of events: nobody is to have all of them. */
import { isLoopback, originOf } from "../../bytes/ip.ts";
import type { Sender } from "./proxies.ts";

/** How many places each sender holds. */
export class PerSender {
  readonly #most: number;
  readonly #counts = new Map<string, number>();

  /** @param most that one sender may hold */
  constructor(most: number) {
    this.#most = most;
  }

  /** Whether there is a place for a sender. Who talks to the node from this machine may have any number. */
  hasRoom(sender: Sender): boolean {
    return isCounted(sender) ? (this.#counts.get(originOf(sender.address)) ?? 0) < this.#most : true;
  }

  /** Takes a place. @returns how to give it back, to be called once */
  take(sender: Sender): () => void {
    if (!isCounted(sender)) return () => {};
    const origin = originOf(sender.address);
    this.#counts.set(origin, (this.#counts.get(origin) ?? 0) + 1);
    return () => {
      const left = (this.#counts.get(origin) ?? 0) - 1;
      if (left > 0) this.#counts.set(origin, left);
      else this.#counts.delete(origin);
    };
  }
}

function isCounted({ address, direct }: Sender): boolean {
  return !direct || !isLoopback(address);
}
