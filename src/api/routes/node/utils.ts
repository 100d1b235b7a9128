/** Page 06 §7.11. */
import Type from "typebox";
import { encodeBase58 } from "../../../bytes/base58.ts";
import { DecodeError } from "../../../bytes/errors.ts";
import type { JsonOut } from "../../../bytes/json.ts";
import { encodeUtf8 } from "../../../bytes/utf8.ts";
import { fastHash, secureHash } from "../../../crypto/hashes.ts";
import { ApiError, type ApiFailure, failure } from "../../../http/errors.ts";
import {
  EmptyScriptError,
  MAX_SOURCE_LENGTH,
  parseScriptText,
  type Script,
  ScriptParseError,
  scriptJson,
  scriptText,
} from "../../../script/index.ts";
import { compileAccountScript } from "../../../transactions/index.ts";
import { SCRIPT, SCRIPT_TEXT } from "../../openapi/dev-examples.ts";
import { get, post, type ReadCall, routesOf } from "../../route.ts";
import { base58, int64, object, Timestamp } from "../../schemas/common.ts";

/** Answers show this fee for every script. */
export const EXTRA_FEE = 100_000_000;

/** Long texts may take seconds. Texts above `MAX_SOURCE_LENGTH` are refused at once. */
const isLong = (call: ReadCall): boolean => {
  const { length } = call.text();
  return length > 256 && length <= MAX_SOURCE_LENGTH;
};

/** @param message null if the protocol has no text, as for truncated scripts. Page 08 §11 */
function compilerFailure(message: string | null): ApiFailure {
  return failure(400, 305, message);
}

function answerHash(call: ReadCall, hash: (bytes: Uint8Array) => Uint8Array): JsonOut {
  const message = call.text();
  return { message, hash: encodeBase58(hash(encodeUtf8(message))) };
}

/** @throws ApiError 305 */
function readScript(text: string): Script {
  try {
    return parseScriptText(text);
  } catch (error) {
    if (error instanceof ScriptParseError) throw new ApiError(compilerFailure(error.text));
    if (error instanceof EmptyScriptError || error instanceof DecodeError)
      throw new ApiError(compilerFailure(error.message));
    throw error;
  }
}

const Hashed = object({ message: Type.String(), hash: base58("32 bytes.") });
export const ScriptCost = {
  complexity: int64("Estimated cost of a run."),
  extraFee: int64("For information only, never charged."),
};
const SCRIPT_FAILURES = { 400: "The script is not valid." };

export const utilRoutes = routesOf("utils", [
  get("/utils/time", {
    summary: "The node's clock",
    answers: { ok: object({ system: Timestamp, NTP: Timestamp }) },
    handle: ({ api: { clock } }) => ({ system: Math.floor(clock.system()), NTP: Math.floor(clock.now()) }),
  }),
  post("/utils/hash/secure", {
    summary: "SHA-256 of BLAKE2b-256 of a text",
    request: { body: { kind: "text", schema: Type.String() }, example: { body: "hello" } },
    answers: { ok: Hashed },
    handle: (call) => answerHash(call, secureHash),
  }),
  post("/utils/hash/fast", {
    summary: "BLAKE2b-256 of a text",
    request: { body: { kind: "text", schema: Type.String() }, example: { body: "hello" } },
    answers: { ok: Hashed },
    handle: (call) => answerHash(call, fastHash),
  }),
  post("/utils/script/compile", {
    summary: "Compiles the source of a script",
    request: { body: { kind: "text", schema: Type.String() }, example: { body: SCRIPT_TEXT } },
    answers: { ok: object({ script: Type.String(), ...ScriptCost }), failures: SCRIPT_FAILURES },
    cost: { isExpensive: isLong },
    runsInReader: true,
    handle: (call) => {
      const compiled = compileAccountScript(call.text());
      if (!compiled.ok) throw new ApiError(compilerFailure(compiled.error));
      const { complexity } = compiled.value;
      return { script: scriptJson(compiled.value), complexity, extraFee: EXTRA_FEE };
    },
  }),
  post("/utils/script/estimate", {
    summary: "Source and cost of a compiled Base64 script",
    request: { body: { kind: "text", schema: Type.String() }, example: { body: SCRIPT } },
    answers: {
      ok: object({ script: Type.String(), scriptText: Type.String(), ...ScriptCost }),
      failures: SCRIPT_FAILURES,
    },
    cost: { isExpensive: isLong, estimatesScripts: true },
    runsInReader: true,
    handle: (call) => {
      const text = call.text();
      const script = readScript(text);
      return {
        script: text,
        scriptText: scriptText(script),
        complexity: script.complexity,
        extraFee: EXTRA_FEE,
      };
    },
  }),
]);
