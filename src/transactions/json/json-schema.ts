export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly title?: string;
  readonly description?: string;
  readonly enum?: readonly (string | number)[];
  readonly items?: JsonSchema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | false;
}

export const int64Schema: JsonSchema = { type: "integer", format: "int64" };
export const addressSchema: JsonSchema = { type: "string", description: "address in Base58" };
