/** Page 08 §10, §11. */
export class ScriptParseError extends Error {
  override readonly name = "ScriptParseError";
  /** Null for truncated data, where the reference prints `null`. */
  readonly text: string | null;

  constructor(text: string | null) {
    super(String(text));
    this.text = text;
  }
}

/** In the reference, an empty script is not a parse error. Page 08 §11, check 0. */
export class EmptyScriptError extends Error {
  override readonly name = "EmptyScriptError";
  /** The reference's exception with its class. The JSON response has it as `cause`. */
  readonly exception = "java.util.NoSuchElementException: next on empty iterator";

  constructor() {
    super("next on empty iterator");
  }
}

/** The message is the reference's. Page 08 §8. */
export class ScriptCompileError extends Error {
  override readonly name = "ScriptCompileError";
}

/** A script error, which the node reports to the sender. Page 08 §13. */
export class ScriptRunError extends Error {
  override readonly name = "ScriptRunError";
}

/**
 * A failure that the reference does not report as a script error. The message is the reference's exception with its
 * class. Page 08 §13, §16.3.
 */
export class ScriptException extends Error {
  override readonly name = "ScriptException";
}
