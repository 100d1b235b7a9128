/** Page 06 §4. */
import Type, { type TSchema } from "typebox";
import { object } from "./common.ts";
import { TransactionSchema } from "./transactions.ts";

const Message = Type.String();

export const ErrorSchema = object(
  {
    error: Type.Integer({ description: "Id of the failure. For failures of HTTP, the id is the status." }),
    message: Type.Union([Message, Type.Null()], { description: "Null if there is no text." }),
  },
  "Error",
);

/** Page 06 §4.4. */
export const InvalidJsonSchema = object(
  {
    error: Type.Enum([1]),
    message: Message,
    cause: Type.Union([Type.String(), Type.Null()], {
      description: "Reason why the body is not valid JSON; null if it is valid.",
    }),
    validationErrors: Type.Record(
      Type.String(),
      Type.Array(object({ msg: Type.Array(Type.String()), args: Type.Array(Type.Unknown()) })),
      { description: "Problems of members by path." },
    ),
  },
  "InvalidJson",
);

/** Page 06 §4.5. */
const StateRefusalSchema = object(
  { error: Type.Enum([112]), message: Message, tx: TransactionSchema },
  "RefusedByState",
);

const ScriptRefusalSchema = object(
  {
    error: Type.Enum([199, 306, 307]),
    message: Message,
    transaction: TransactionSchema,
    script: Type.String({ description: "Source of the script." }),
    vars: Type.Array(Type.Unknown(), { description: "Variables that the script had computed." }),
  },
  "RefusedByScript",
);

/** Page 07 §3.2. */
const IndexErrorSchema = object({ error: Type.String() }, "IndexError");

/** Page 06 §7.5. */
const InvalidParameterSchema = object(
  { message: Type.Enum(["invalid.type", "invalid.limit", "invalid.offset", "invalid.cursor"]) },
  "InvalidParameter",
);

/** Page 06 §4.2. */
export const NotFoundSchema = object({ status: Type.Enum(["error"]), details: Type.String() }, "NotThere");

export interface ResponseDescription {
  readonly description: string;
  /** Schemas by media type, without its parameters. */
  readonly content: Readonly<Record<string, readonly TSchema[]>>;
}

const JSON_TYPE = "application/json";
const TEXT_TYPE = "text/plain";

export function failsWith(description: string, ...schemas: readonly TSchema[]): ResponseDescription {
  return { description, content: { [JSON_TYPE]: schemas } };
}

/** Page 06 §4.2, page 07 §3.2. */
export function failsInText(description: string): ResponseDescription {
  return { description, content: { [TEXT_TYPE]: [Type.String()] } };
}

export const BAD_ADDRESS = { 400: "The address is not valid on this network." };
export const BAD_ADDRESS_OR_PARAMETER = {
  400: "The address is not valid on this network, or a parameter is not valid.",
};

export function failsEither(one: ResponseDescription, other: ResponseDescription): ResponseDescription {
  const types = new Set([...Object.keys(one.content), ...Object.keys(other.content)]);
  return {
    description: `${one.description} ${other.description}`,
    content: Object.fromEntries(
      [...types].map((type) => [type, [...(one.content[type] ?? []), ...(other.content[type] ?? [])]]),
    ),
  };
}

export function fails(description: string): ResponseDescription {
  return failsWith(description, ErrorSchema);
}

export const refusesTransaction = failsWith(
  "The request is not valid, or the rules refuse the transaction.",
  ErrorSchema,
  InvalidJsonSchema,
  StateRefusalSchema,
  ScriptRefusalSchema,
);

/** For routes that read an index (`cost.indexes`). */
export const INDEX_NOT_READY = {
  503: failsWith(
    "The index is being built: it contains the first `height` of `of` blocks.",
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

/** The body is `{"error": text}`. */
export function failsInIndex(description: string): ResponseDescription {
  return failsWith(description, IndexErrorSchema);
}

/** The body is e.g. `{"message": "invalid.limit"}`. */
export function failsByParameter(description: string): ResponseDescription {
  return failsWith(description, InvalidParameterSchema, ErrorSchema);
}
