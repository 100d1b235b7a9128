interface Parsed {
  readonly height: number;
  readonly sequence: number;
}

/** Returns undefined for a text that no node sends as `X-Chain`. */
function parse(text: string): Parsed | undefined {
  const found = /^(\d{1,10})\.(\d{1,10})\.[1-9A-HJ-NP-Za-km-z]{64,88}$/.exec(text);
  return found === null ? undefined : { height: Number(found[1]), sequence: Number(found[2]) };
}

/** The newest chain position in answers of one or several nodes. Clients can share it. */
export class ReadPosition {
  #text: string | undefined;
  #parsed: Parsed = { height: 0, sequence: 0 };

  /** @param text `text` of an earlier run */
  constructor(text?: string) {
    if (text !== undefined) this.remember(text);
  }

  /** `height.sequence.id`; undefined before the first answer with a position. */
  get text(): string | undefined {
    return this.#text;
  }

  /** Remembers a position, unless a newer one is remembered. */
  remember(text: string): void {
    const parsed = parse(text);
    if (parsed === undefined) return;
    const { height, sequence } = this.#parsed;
    if (parsed.height < height || (parsed.height === height && parsed.sequence < sequence)) return;
    this.#text = text;
    this.#parsed = parsed;
  }
}
