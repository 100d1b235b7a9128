import { DelegatingReader, type Reader } from "../kv.ts";

export class SwitchableReader extends DelegatingReader {
  constructor(public current: Reader) {
    super();
  }

  protected source(): Reader {
    return this.current;
  }
}
