/** Invalid script bytes. Page 08 §10, §11. */
export class ScriptParseError extends Error {
  override readonly name = "ScriptParseError";
  /** The protocol's text; null where it prints `null` (truncated data). */
  readonly text: string | null;

  constructor(text: string | null) {
    super(String(text));
    this.text = text;
  }
}

/** An empty script. Not a parse error in the reference. Page 08 §11, check 0. */
export class EmptyScriptError extends Error {
  override readonly name = "EmptyScriptError";
  /** Exception with class: `cause` in the JSON response. */
  readonly exception = "java.util.NoSuchElementException: next on empty iterator";

  constructor() {
    super("next on empty iterator");
  }
}

/** Invalid source text. The message is the reference's. Page 08 §8. */
export class ScriptCompileError extends Error {
  override readonly name = "ScriptCompileError";
}

/** A script error: ends the run and is reported to the sender. Page 08 §13. */
export class ScriptRunError extends Error {
  override readonly name = "ScriptRunError";
}

/**
 * A failure that the reference does not turn into a script error (§13 "exception"); the transaction is still invalid. The
 * message is the reference's exception with its class. Page 08 §16.3.
 */
export class ScriptException extends Error {
  override readonly name = "ScriptException";
}
