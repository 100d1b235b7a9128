/** Page 08. */
export { compileScript, MAX_SOURCE_LENGTH } from "./compile/compile.ts";
export { EmptyScriptError, ScriptCompileError, ScriptParseError } from "./errors.ts";
export {
  evaluateScript,
  type ScriptEnvironment,
  type ScriptVar,
  type ScriptVerdict,
} from "./evaluate/verdict.ts";
export { ScriptWork } from "./evaluate/work.ts";
export type { Expression } from "./expression.ts";
export {
  cacheEstimate,
  estimateScript,
  findSlowScript,
  MAX_COMPLEXITY,
  MAX_SCRIPT_SIZE,
  parseScript,
  parseScriptText,
  type Script,
  type StoredScript,
  scriptJson,
  scriptSource,
  scriptText,
  storedScript,
} from "./script.ts";
export type { SourceLine, SourceToken } from "./source-lines.ts";
export type { ScriptTransaction } from "./values/transaction-view.ts";
