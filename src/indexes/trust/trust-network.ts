import { JsonNumber, type JsonValue, parseJson } from "../../bytes/json.ts";

/** Page 07 §9.1. */
interface TrustRole {
  readonly description: string | undefined;
  /** Roles that holders of this role grant, by association type. */
  readonly issues: readonly { readonly type: bigint; readonly role: string }[];
  /** Contexts of credentials that holders may issue. */
  readonly authorization: readonly string[];
  readonly sponsored: boolean;
}

export type TrustNetwork = ReadonlyMap<string, TrustRole>;

export class TrustNetworkError extends Error {
  override readonly name = "TrustNetworkError";
}

export const rootRole = "root";

/** Page 07 §4.2. */
export const defaultTrustNetwork: TrustNetwork = new Map([
  [rootRole, { description: "The root role", issues: [], authorization: [], sponsored: false }],
]);

/**
 * Parses a JSON object of roles by name. In an older form, the member `roles` is this object. `issues` may name roles
 * that the object lacks; holders of these are never shown (§9.2). Page 07 §4.2, §9.1.
 * @throws TrustNetworkError naming the invalid member
 */
export function parseTrustNetwork(text: string): TrustNetwork {
  let value: JsonValue;
  try {
    value = parseJson(text);
  } catch (error) {
    throw new TrustNetworkError(`The trust network is not valid JSON: ${(error as Error).message}`);
  }
  if (!(value instanceof Map))
    throw new TrustNetworkError("The trust network must be a JSON object of roles");
  const nested = value.get("roles");
  const roles = nested instanceof Map && !nested.has("issues") ? nested : value;
  const network = new Map<string, TrustRole>();
  for (const [name, role] of roles) network.set(name, parseRole(name, role));
  return network;
}

function parseRole(name: string, value: JsonValue): TrustRole {
  if (!(value instanceof Map)) throw new TrustNetworkError(`Role '${name}' must be an object`);
  const invalidMember = (member: string, shape: string) =>
    new TrustNetworkError(`Member '${member}' of role '${name}' must be ${shape}`);
  for (const member of value.keys()) {
    if (!["description", "issues", "authorization", "sponsored"].includes(member)) {
      throw new TrustNetworkError(`Unknown member '${member}' of role '${name}'`);
    }
  }
  const description = value.get("description") ?? undefined;
  if (description !== undefined && typeof description !== "string")
    throw invalidMember("description", "a string");
  const sponsored = value.get("sponsored") ?? false;
  if (typeof sponsored !== "boolean") throw invalidMember("sponsored", "true or false");
  const authorization = value.get("authorization") ?? [];
  if (!Array.isArray(authorization) || !authorization.every((uri) => typeof uri === "string")) {
    throw invalidMember("authorization", "a list of strings");
  }
  const issuesShape = "a list of objects with an integer 'type' and a string 'role'";
  const list = value.get("issues") ?? [];
  if (!Array.isArray(list)) throw invalidMember("issues", issuesShape);
  const issues = list.map((issue) => {
    const type = issue instanceof Map ? issue.get("type") : undefined;
    const role = issue instanceof Map ? issue.get("role") : undefined;
    const number = type instanceof JsonNumber ? type.toInt64() : undefined;
    if (number === undefined || typeof role !== "string") throw invalidMember("issues", issuesShape);
    return { type: number, role };
  });
  return { description, issues, authorization: authorization as string[], sponsored };
}
