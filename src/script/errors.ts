/** Bytes that are not a script a transaction may hold. Page 08 §10, §11. */
export class ScriptParseError extends Error {
  override readonly name = "ScriptParseError";
  /** The protocol's text; null where the protocol prints `null` (the data end early). */
  readonly text: string | null;

  constructor(text: string | null) {
    super(String(text));
    this.text = text;
  }
}

/** A script without bytes. In the reference this exception is not a parse error. Page 08 §11, check 0. */
export class EmptyScriptError extends Error {
  override readonly name = "EmptyScriptError";
  /** The text with the class of the exception: `cause` in the JSON answer. */
  readonly exception = "java.util.NoSuchElementException: next on empty iterator";

  constructor() {
    super("next on empty iterator");
  }
}

/** Text that does not compile. The message is the reference's. Page 08 §8. */
export class ScriptCompileError extends Error {
  override readonly name = "ScriptCompileError";
}

/** A script error: it ends the run and is reported to the sender of the transaction. Page 08 §13. */
export class ScriptRunError extends Error {
  override readonly name = "ScriptRunError";
}

/**
 * A failure that the reference does not turn into a script error (§13 "exception"). The transaction is
 * invalid all the same. The message is the reference's exception with its class. Page 08 §16.3.
 */
export class ScriptException extends Error {
  override readonly name = "ScriptException";
}
