/** Page 04 §14. */
import { announcementBytes, type MicroBlockAnnouncement } from "../../blocks/announcement.ts";
import { bytesEqual, bytesKey } from "../../bytes/compare.ts";
import { getOrInsert } from "../../collections/get-or-insert.ts";
import type { Clock } from "../../interfaces.ts";
import { ExpiringMap } from "../../runtime/expiring-map.ts";
import type { Peer } from "../connections/peer.ts";

/** A minute and a half of micro blocks. */
const MAX_OF_PEER = 16;

export interface AnnouncedMicroBlock {
  readonly announcement: MicroBlockAnnouncement;
  readonly owners: readonly Peer[];
}

export class Announcements {
  readonly #clock: Clock;
  readonly #lifetimeMs: number;
  readonly #byPeer = new Map<Peer, ExpiringMap<MicroBlockAnnouncement>>();

  constructor(clock: Clock, lifetimeMs: number) {
    this.#clock = clock;
    this.#lifetimeMs = lifetimeMs;
  }

  get sizes(): { readonly microBlocks: number; readonly references: number } {
    const microBlocks = new Set<string>();
    const references = new Set<string>();
    for (const ofPeer of this.#byPeer.values())
      for (const { key, value } of ofPeer.entries()) {
        microBlocks.add(key);
        references.add(bytesKey(value.reference));
      }
    return { microBlocks: microBlocks.size, references: references.size };
  }

  add(peer: Peer, announcement: MicroBlockAnnouncement): void {
    const ofPeer = getOrInsert(
      this.#byPeer,
      peer,
      () => new ExpiringMap(this.#clock, this.#lifetimeMs, MAX_OF_PEER),
    );
    const key = bytesKey(announcement.totalSignature);
    if (!ofPeer.has(key)) ofPeer.set(key, announcement);
  }

  forget(peer: Peer): void {
    this.#byPeer.delete(peer);
  }

  has(announcement: MicroBlockAnnouncement): boolean {
    const key = bytesKey(announcement.totalSignature);
    const bytes = announcementBytes(announcement);
    for (const ofPeer of this.#byPeer.values()) {
      const known = ofPeer.get(key);
      if (known !== undefined && bytesEqual(announcementBytes(known), bytes)) return true;
    }
    return false;
  }

  owners(totalSignature: Uint8Array): Set<Peer> {
    const key = bytesKey(totalSignature);
    const owners = new Set<Peer>();
    for (const [peer, ofPeer] of this.#byPeer) if (ofPeer.has(key)) owners.add(peer);
    return owners;
  }

  /** Micro blocks that reference an id, first announced first. */
  findFollowing(reference: Uint8Array, generator: Uint8Array): readonly AnnouncedMicroBlock[] {
    const found = new Map<string, { announcement: MicroBlockAnnouncement; owners: Peer[]; since: number }>();
    for (const [peer, ofPeer] of this.#byPeer)
      for (const { key, value, writtenAt: since } of ofPeer.entries()) {
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
