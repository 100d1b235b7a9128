import { DelegatingReader, type Reader } from "../kv.ts";

/** A reader whose target can be replaced by another one of the same state. */
export class SwitchableReader extends DelegatingReader {
  constructor(public current: Reader) {
    super();
  }

  protected source(): Reader {
    return this.current;
  }
}
