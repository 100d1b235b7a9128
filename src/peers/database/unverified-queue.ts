/** Addresses that this node has not reached yet. Page 04 §17. */
import { originOf } from "../../bytes/ip.ts";
import { formatPeerAddress, type PeerAddress } from "../peer-address.ts";

interface Entry {
  readonly address: PeerAddress;
  readonly origin: string;
  readonly sourceOrigin: string;
}

/** When full, drops the oldest entry of the source with most entries. */
export class UnverifiedQueue {
  readonly #capacity: number;
  readonly #entries = new Map<string, Entry>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  has(address: PeerAddress): boolean {
    return this.#entries.has(formatPeerAddress(address));
  }

  list(): PeerAddress[] {
    return Array.from(this.#entries.values(), ({ address }) => address);
  }

  add(address: PeerAddress, sourceOrigin: string): void {
    if (this.#capacity <= 0) return;
    this.#entries.set(formatPeerAddress(address), { address, origin: originOf(address.host), sourceOrigin });
    if (this.#entries.size > this.#capacity) this.#evict();
  }

  delete(address: PeerAddress): void {
    this.#entries.delete(formatPeerAddress(address));
  }

  deleteOrigin(origin: string): void {
    for (const [key, entry] of this.#entries) if (entry.origin === origin) this.#entries.delete(key);
  }

  #evict(): void {
    const counts = new Map<string, number>();
    for (const { sourceOrigin } of this.#entries.values())
      counts.set(sourceOrigin, (counts.get(sourceOrigin) ?? 0) + 1);
    const most = Math.max(...counts.values());
    for (const [key, { sourceOrigin }] of this.#entries) {
      if (counts.get(sourceOrigin) !== most) continue;
      this.#entries.delete(key);
      return;
    }
  }
}
