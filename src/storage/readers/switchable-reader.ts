import { DelegatingReader, type Reader } from "../kv.ts";

/** Reads from `current`, which can be replaced by another reader. */
export class SwitchableReader extends DelegatingReader {
  constructor(public current: Reader) {
    super();
  }

  protected source(): Reader {
    return this.current;
  }
}
