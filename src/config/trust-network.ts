/** The roles of the trust network as they are configured. Page 07 §9.1. */
import { readFileSync } from "node:fs";
import { ImpossibleValueError, type Kind } from "./kinds.ts";

/** One role. */
export interface TrustRole {
  readonly description?: string | undefined;
  /** Roles that a holder gives by associations of a type. */
  readonly issues?: readonly { readonly type: number; readonly role: string }[] | undefined;
  /** Credential context URIs that a holder may issue. */
  readonly authorization?: readonly string[] | undefined;
  readonly sponsored?: boolean | undefined;
}

/** Roles by name, in the order of the configuration. */
export interface TrustNetwork {
  readonly [role: string]: TrustRole;
}

const expects =
  "roles as {name: {description?, issues?: [{type, role}], authorization?: [text], sponsored?}}";

function refuse(reason: string): never {
  throw new ImpossibleValueError(`expected ${expects}: ${reason}`);
}

function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function readRole(name: string, value: unknown): TrustRole {
  if (!isObject(value)) return refuse(`"${name}" is not an object`);
  for (const member of Object.keys(value)) {
    if (!["description", "issues", "authorization", "sponsored"].includes(member))
      return refuse(`"${name}" has an unknown member "${member}"`);
  }
  const { description, issues, authorization, sponsored } = value;
  if (description !== undefined && typeof description !== "string")
    return refuse(`the description of "${name}" is not text`);
  if (sponsored !== undefined && typeof sponsored !== "boolean")
    return refuse(`"sponsored" of "${name}" is not true or false`);
  if (
    authorization !== undefined &&
    !(Array.isArray(authorization) && authorization.every((uri) => typeof uri === "string"))
  )
    return refuse(`"authorization" of "${name}" is not a list of texts`);
  if (issues !== undefined) {
    if (!Array.isArray(issues)) return refuse(`"issues" of "${name}" is not a list`);
    for (const issue of issues) {
      if (!isObject(issue) || !Number.isSafeInteger(issue.type) || typeof issue.role !== "string")
        return refuse(`"issues" of "${name}" has something else than {type: number, role: text}`);
    }
  }
  return value as TrustRole;
}

/**
 * Roles by name; the older form `{indexing, roles: {...}}` is read too (page 07 §4.2). Names that look like
 * whole numbers are refused, because their order would be lost.
 * @throws ImpossibleValueError
 */
export function readTrustNetwork(value: unknown): TrustNetwork {
  if (!isObject(value)) return refuse("it is not an object");
  const roles = isObject(value.roles) ? value.roles : value;
  const read: { [role: string]: TrustRole } = {};
  for (const [name, role] of Object.entries(roles)) {
    if (/^(0|[1-9][0-9]*)$/.test(name) || name === "__proto__")
      return refuse(`"${name}" cannot be the name of a role`);
    read[name] = readRole(name, role);
  }
  for (const [name, role] of Object.entries(read)) {
    for (const issue of role.issues ?? []) {
      if (!Object.hasOwn(read, issue.role))
        return refuse(`"${name}" issues the role "${issue.role}", which is not there`);
    }
  }
  return read;
}

/** JSON text, the path of a JSON file, or an object of the YAML file. */
export const trustNetwork: Kind<TrustNetwork> = {
  expects,
  placeholder: "JSON|FILE",
  read: (value) => {
    if (typeof value !== "string") return readTrustNetwork(value);
    const inline = value.trimStart().startsWith("{");
    let json: string;
    try {
      json = inline ? value : readFileSync(value, "utf8");
    } catch (error) {
      return refuse(`cannot read ${value}: ${(error as Error).message}`);
    }
    try {
      return readTrustNetwork(JSON.parse(json));
    } catch (error) {
      if (error instanceof ImpossibleValueError) throw error;
      return refuse(`${inline ? "the value" : value} is not JSON`);
    }
  },
  write: (value) => value,
};
