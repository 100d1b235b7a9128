/** What an error tells besides what failed. */
export interface ErrorDetails {
  /** What to do about it; it follows the short message in the text. */
  readonly hint?: string | undefined;
  readonly cause?: unknown;
}

/**
 * Base of our exceptions. The name is that of the class, the message is the short message and the hint. Where code is
 * made smaller for browsers, classes lose their names: an error whose name is read there sets it.
 */
export class BaseError extends Error {
  /** What failed, with the offending value. */
  readonly shortMessage: string;
  /** What to do about it. */
  readonly hint: string | undefined;

  constructor(shortMessage: string, { hint, ...options }: ErrorDetails = {}) {
    super(hint === undefined ? shortMessage : `${shortMessage}: ${hint}`, options);
    this.name = new.target.name;
    this.shortMessage = shortMessage;
    this.hint = hint;
  }
}
