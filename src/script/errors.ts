/** The bytes are no script that may stand in a transaction. Page 08 §10, §11. */
export class ScriptParseError extends Error {
  override readonly name = "ScriptParseError";
  /** The protocol's text; null where the protocol prints `null` (the data end early). */
  readonly text: string | null;

  /** @param text the protocol's text, or null; the message is its printed form */
  constructor(text: string | null) {
    super(String(text));
    this.text = text;
  }
}

/** A script of no bytes: in the reference an exception that is not a parse error. Page 08 §11, check 0. */
export class EmptyScriptError extends Error {
  override readonly name = "EmptyScriptError";
  /** The text with the class of the exception, which the JSON answer carries as `cause`. */
  readonly exception = "java.util.NoSuchElementException: next on empty iterator";

  constructor() {
    super("next on empty iterator");
  }
}

/** The text is no program. The message is what the reference answers. Page 08 §8. */
export class ScriptCompileError extends Error {
  override readonly name = "ScriptCompileError";
}

/** A script error: it ends the run and is reported to whoever sent the transaction. Page 08 §13. */
export class ScriptRunError extends Error {
  override readonly name = "ScriptRunError";
}

/**
 * A failure that the reference does not turn into a script error (§13 "exception"): for the protocol the transaction
 * is invalid just the same. The message is the exception of the reference, class included. Page 08 §16.3.
 */
export class ScriptException extends Error {
  override readonly name = "ScriptException";
}
