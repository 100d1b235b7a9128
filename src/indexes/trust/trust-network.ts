import { JsonNumber, type JsonValue, parseJson } from "../../bytes/json.ts";

/** What a role may do. Page 07 §9.1. */
interface TrustRole {
  readonly description: string | undefined;
  /** Roles that its holders give by an association of the type. */
  readonly issues: readonly { readonly type: bigint; readonly role: string }[];
  /** Contexts of credentials that its holders may issue. */
  readonly authorization: readonly string[];
  readonly sponsored: boolean;
}

/** Roles by name, in the order of the configuration. */
export type TrustNetwork = ReadonlyMap<string, TrustRole>;

/** A trust network of the configuration that does not have the form of page 07 §9.1. */
export class TrustNetworkError extends Error {
  override readonly name = "TrustNetworkError";
}

/** The role of the root account. */
export const rootRole = "root";

/** The network of a node that was not told one: the root role, which issues nothing. Page 07 §4.2. */
export const defaultTrustNetwork: TrustNetwork = new Map([
  [rootRole, { description: "The root role", issues: [], authorization: [], sponsored: false }],
]);

/**
 * Reads a trust network from JSON text: the roles by name, or (the older form) an object with them under `roles`.
 * A role may issue one that the network does not describe, which nobody will be seen to hold (§9.2).
 * Page 07 §4.2, §9.1.
 * @throws TrustNetworkError naming the member that is wrong
 */
export function parseTrustNetwork(text: string): TrustNetwork {
  let value: JsonValue;
  try {
    value = parseJson(text);
  } catch (error) {
    throw new TrustNetworkError(`The trust network is no JSON: ${(error as Error).message}`);
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
  const wrong = (member: string, shape: string) =>
    new TrustNetworkError(`Member '${member}' of role '${name}' must be ${shape}`);
  for (const member of value.keys()) {
    if (!["description", "issues", "authorization", "sponsored"].includes(member)) {
      throw new TrustNetworkError(`Unknown member '${member}' of role '${name}'`);
    }
  }
  const description = value.get("description") ?? undefined;
  if (description !== undefined && typeof description !== "string") throw wrong("description", "a text");
  const sponsored = value.get("sponsored") ?? false;
  if (typeof sponsored !== "boolean") throw wrong("sponsored", "true or false");
  const authorization = value.get("authorization") ?? [];
  if (!Array.isArray(authorization) || !authorization.every((uri) => typeof uri === "string")) {
    throw wrong("authorization", "a list of texts");
  }
  const issuesShape = "a list of objects with an integer 'type' and a text 'role'";
  const list = value.get("issues") ?? [];
  if (!Array.isArray(list)) throw wrong("issues", issuesShape);
  const issues = list.map((issue) => {
    const type = issue instanceof Map ? issue.get("type") : undefined;
    const role = issue instanceof Map ? issue.get("role") : undefined;
    const number = type instanceof JsonNumber ? type.toInt64() : undefined;
    if (number === undefined || typeof role !== "string") throw wrong("issues", issuesShape);
    return { type: number, role };
  });
  return { description, issues, authorization: authorization as string[], sponsored };
}
