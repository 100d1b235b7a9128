export interface ErrorDetails {
  /** What the user can do; `message` appends it to the short message. */
  readonly hint?: string | undefined;
  readonly cause?: unknown;
}

/**
 * Error with a hint for the user. `message` is the short message, followed by the hint. `name` is the class name, which
 * minification changes: subclasses that run in browsers set `name` themselves.
 */
export class BaseError extends Error {
  /** What failed, with the offending value. */
  readonly shortMessage: string;
  /** What the user can do. */
  readonly hint: string | undefined;

  constructor(shortMessage: string, { hint, ...options }: ErrorDetails = {}) {
    super(hint === undefined ? shortMessage : `${shortMessage}: ${hint}`, options);
    this.name = new.target.name;
    this.shortMessage = shortMessage;
    this.hint = hint;
  }
}
