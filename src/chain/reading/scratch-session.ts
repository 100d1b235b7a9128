import { bytesKey } from "../../bytes/compare.ts";
import { Overlay } from "../../storage/batch/overlay.ts";
import type { Reader } from "../../storage/kv.ts";
import { StoredLedger } from "../../storage/ledger/ledger-state.ts";
import { type RecentIds, ScratchIds } from "../../storage/ledger/recent-ids.ts";
import { SwitchableReader } from "../../storage/readers/switchable-reader.ts";
import { newestUnit } from "./changes.ts";

/** A copy of the state at the tip, discarded when the chain changes. */
export class ScratchSession {
  readonly #read: <T>(reading: (reader: Reader) => T) => T;
  readonly #recent: RecentIds;
  #state:
    | { readonly tip: string; reader: SwitchableReader; ids: ScratchIds; ledger: StoredLedger }
    | undefined;

  constructor(read: <T>(reading: (reader: Reader) => T) => T, recent: RecentIds) {
    this.#read = read;
    this.#recent = recent;
  }

  scratch<T>(use: (ledger: StoredLedger) => T): T {
    return this.#read((reader) => {
      const tip = bytesKey(newestUnit(reader).id);
      if (this.#state?.tip !== tip) this.#state = this.#begin(tip, reader);
      const { reader: tipReader, ids, ledger } = this.#state;
      tipReader.current = reader;
      // Other code may have evicted ids since the last call.
      ids.fillFrom(reader);
      return use(ledger);
    });
  }

  #begin(tip: string, current: Reader) {
    const reader = new SwitchableReader(current);
    const ids = new ScratchIds(this.#recent);
    return { tip, reader, ids, ledger: new StoredLedger(new Overlay(reader), ids) };
  }
}
