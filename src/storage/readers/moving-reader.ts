import { type Reader, ReaderThrough } from "../kv.ts";

/** A reader that is another one in each turn, all of them of the same state. */
export class MovingReader extends ReaderThrough {
  constructor(public now: Reader) {
    super();
  }

  protected source(): Reader {
    return this.now;
  }
}
