import { DelegatingReader, type Reader } from "../kv.ts";

/** A reader that is another one in each turn, all of them of the same state. */
export class SwitchableReader extends DelegatingReader {
  constructor(public current: Reader) {
    super();
  }

  protected source(): Reader {
    return this.current;
  }
}
