/** Schemas of what is answered when something fails, and how a route says which of them it has. Page 06 §4. */
import Type, { type TSchema } from "typebox";
import { object } from "./common.ts";
import { TransactionSchema } from "./transactions.ts";

const Message = Type.String();

/** The common form. */
export const ErrorSchema = object(
  {
    error: Type.Integer({ description: "Id of the failure; the HTTP status for those of HTTP itself." }),
    message: Type.Union([Message, Type.Null()], { description: "Null where there is no text." }),
  },
  "Error",
);

/** The body is no JSON, or members of it are faulty. Page 06 §4.4. */
export const InvalidJsonSchema = object(
  {
    error: Type.Enum([1]),
    message: Message,
    cause: Type.Union([Type.String(), Type.Null()], { description: "Why it is no JSON; else null." }),
    validationErrors: Type.Record(
      Type.String(),
      Type.Array(object({ msg: Type.Array(Type.String()), args: Type.Array(Type.Unknown()) })),
      { description: "What is wrong with each member, by its path." },
    ),
  },
  "InvalidJson",
);

/** The state of the chain refuses a transaction. Page 06 §4.5. */
const StateRefusalSchema = object(
  { error: Type.Enum([112]), message: Message, tx: TransactionSchema },
  "RefusedByState",
);

/** The script of an account refuses a transaction, or fails. Page 06 §4.5. */
const ScriptRefusalSchema = object(
  {
    error: Type.Enum([199, 306, 307]),
    message: Message,
    transaction: TransactionSchema,
    script: Type.String({ description: "Text of the script." }),
    vars: Type.Array(Type.Unknown(), { description: "What the script had computed." }),
  },
  "RefusedByScript",
);

/** The indexer's form. Page 07 §3.2. */
const IndexErrorSchema = object({ error: Type.String() }, "IndexError");

/** What the list of an address says of its parameters. Page 06 §7.5. */
const InvalidParameterSchema = object(
  { message: Type.Enum(["invalid.type", "invalid.limit", "invalid.offset", "invalid.cursor"]) },
  "InvalidParameter",
);

/** A look-up by id that found nothing. Page 06 §4.2. */
export const NotFoundSchema = object({ status: Type.Enum(["error"]), details: Type.String() }, "NotThere");

/** A status that a route has of its own. */
export interface ResponseDescription {
  readonly description: string;
  /** Schemas of what is sent, any of them, by media type without parameters. */
  readonly content: Readonly<Record<string, readonly TSchema[]>>;
}

const JSON_TYPE = "application/json";
const TEXT_TYPE = "text/plain";

/** Fails with JSON of one of these forms. */
export function failsWith(description: string, ...schemas: readonly TSchema[]): ResponseDescription {
  return { description, content: { [JSON_TYPE]: schemas } };
}

/** Fails with a plain text. Page 06 §4.2, page 07 §3.2. */
export function failsInText(description: string): ResponseDescription {
  return { description, content: { [TEXT_TYPE]: [Type.String()] } };
}

/** Fails in one way or the other. */
export function failsEither(one: ResponseDescription, other: ResponseDescription): ResponseDescription {
  const types = new Set([...Object.keys(one.content), ...Object.keys(other.content)]);
  return {
    description: `${one.description} ${other.description}`,
    content: Object.fromEntries(
      [...types].map((type) => [type, [...(one.content[type] ?? []), ...(other.content[type] ?? [])]]),
    ),
  };
}

/** As `failsWith` of the common form: what a description alone stands for. */
export function fails(description: string): ResponseDescription {
  return failsWith(description, ErrorSchema);
}

/** What the rules or the pool refuse, and what is no transaction. */
export const refusesTransaction = failsWith(
  "The request is not valid, or the rules refuse the transaction.",
  ErrorSchema,
  InvalidJsonSchema,
  StateRefusalSchema,
  ScriptRefusalSchema,
);

/** Of the routes that read an index (`cost.indexes`). */
export const INDEX_NOT_READY = {
  503: failsWith(
    "The index is being built: `height` of `of` blocks are in it.",
    object(
      {
        error: Type.Enum([503]),
        message: Type.String(),
        index: Type.String(),
        height: Type.Integer(),
        of: Type.Integer(),
      },
      "IndexNotReady",
    ),
  ),
} as const;

/** `{"error": text}`. */
export function failsInIndex(description: string): ResponseDescription {
  return failsWith(description, IndexErrorSchema);
}

/** `{"message": "invalid.limit"}` and its like, or the common form. */
export function failsByParameter(description: string): ResponseDescription {
  return failsWith(description, InvalidParameterSchema, ErrorSchema);
}
