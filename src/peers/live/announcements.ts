/** Micro blocks that peers say to have. Page 04 §14. */
import { announcementBytes, type MicroBlockAnnouncement } from "../../blocks/announcement.ts";
import { bytesEqual, bytesKey } from "../../bytes/compare.ts";
import { getOrInsert } from "../../collections/get-or-insert.ts";
import type { Clock } from "../../interfaces.ts";
import { ExpiringMap } from "../../runtime/expiring-map.ts";
import type { Peer } from "../connections/peer.ts";

/** Announcements of one peer that are remembered: of the micro blocks of a minute and a half. */
const MAX_OF_PEER = 16;

/** A micro block that may come next. */
export interface AnnouncedMicroBlock {
  readonly announcement: MicroBlockAnnouncement;
  /** Those who announced it, first one first. */
  readonly owners: readonly Peer[];
}

/** What each peer announced lately: no peer displaces what others announced, and all goes with its connection. */
export class Announcements {
  readonly #clock: Clock;
  readonly #lifetimeMs: number;
  readonly #byPeer = new Map<Peer, ExpiringMap<MicroBlockAnnouncement>>();

  constructor(clock: Clock, lifetimeMs: number) {
    this.#clock = clock;
    this.#lifetimeMs = lifetimeMs;
  }

  /** Announcements that are remembered, those of one micro block by several peers one by one. */
  get size(): number {
    let size = 0;
    for (const own of this.#byPeer.values()) size += own.size;
    return size;
  }

  /** Remembers what a peer announced, from its first time on. */
  add(peer: Peer, announcement: MicroBlockAnnouncement): void {
    const own = getOrInsert(
      this.#byPeer,
      peer,
      () => new ExpiringMap(this.#clock, this.#lifetimeMs, MAX_OF_PEER),
    );
    const key = bytesKey(announcement.totalSignature);
    if (!own.has(key)) own.set(key, announcement);
  }

  forget(peer: Peer): void {
    this.#byPeer.delete(peer);
  }

  /** Whether somebody announced the same micro block with the same bytes. */
  has(announcement: MicroBlockAnnouncement): boolean {
    const key = bytesKey(announcement.totalSignature);
    const bytes = announcementBytes(announcement);
    for (const own of this.#byPeer.values()) {
      const known = own.get(key);
      if (known !== undefined && bytesEqual(announcementBytes(known), bytes)) return true;
    }
    return false;
  }

  /** Those who announced a micro block. */
  owners(total: Uint8Array): Set<Peer> {
    const key = bytesKey(total);
    const owners = new Set<Peer>();
    for (const [peer, own] of this.#byPeer) if (own.has(key)) owners.add(peer);
    return owners;
  }

  /** The micro blocks of a generator that follow an id, the one announced first first. */
  findFollowing(reference: Uint8Array, generator: Uint8Array): readonly AnnouncedMicroBlock[] {
    const found = new Map<string, { announcement: MicroBlockAnnouncement; owners: Peer[]; since: number }>();
    for (const [peer, own] of this.#byPeer)
      for (const { key, value, writtenAt: since } of own.entries()) {
        if (!bytesEqual(value.reference, reference) || !bytesEqual(value.generator, generator)) continue;
        const known = found.get(key);
        if (known === undefined) found.set(key, { announcement: value, owners: [peer], since });
        else {
          known.owners.push(peer);
          known.since = Math.min(known.since, since);
        }
      }
    return [...found.values()].sort((a, b) => a.since - b.since);
  }
}
