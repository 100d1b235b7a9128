export interface ErrorDetails {
  /** What to do about it. It follows the short message. */
  readonly hint?: string | undefined;
  readonly cause?: unknown;
}

/**
 * Base of our exceptions. Its name is the class name, its message the short message and the hint. Minified browser
 * code loses class names: an error whose name is read there must set it.
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
