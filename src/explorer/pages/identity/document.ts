import type { Answer } from "../../../client/index.ts";
import { identityTexts } from "./texts.ts";

export type DidDocument = NonNullable<Answer<"GET /1.0/identifiers/:did">["didDocument"]>;
type Method = Exclude<NonNullable<DidDocument["keyAgreement"]>[number], string>;

export interface ShownKey {
  readonly id: string;
  readonly controller: string;
  readonly kind: string;
  readonly text: string;
  /** In ms since 1970; undefined if the key does not expire. */
  readonly expires: bigint | undefined;
  readonly permissions: readonly string[];
  /** X25519 keys can only encrypt. */
  readonly isForEncryption: boolean;
}

const { keys: texts } = identityTexts;

const relationships = [
  "authentication",
  "assertionMethod",
  "keyAgreement",
  "capabilityInvocation",
  "capabilityDelegation",
] as const;

const X25519 = "X25519";

/** A prefix is `z` and the Base58 of the multicodec. */
const KEY_KINDS: readonly (readonly [prefix: string, kind: string])[] = [
  ["z6Mk", "ed25519"],
  ["z6LS", X25519],
  ["zQ3s", "secp256k1"],
  ["zDn", "NIST P-256"],
];

function kindOf({ type, publicKeyMultibase }: Method): string {
  return KEY_KINDS.find(([prefix]) => publicKeyMultibase.startsWith(prefix))?.[1] ?? type;
}

/** @returns ms since 1970; undefined if the text is missing or invalid */
export function parseTime(text: string | undefined): bigint | undefined {
  const ms = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(ms) ? undefined : BigInt(ms);
}

export function keysOf(document: DidDocument): readonly ShownKey[] {
  const keys = new Map<string, { readonly method: Method; readonly permissions: string[] }>();
  for (const method of document.verificationMethod ?? []) keys.set(method.id, { method, permissions: [] });
  for (const name of relationships)
    for (const idOrMethod of document[name] ?? []) {
      const listed = keys.get(typeof idOrMethod === "string" ? idOrMethod : idOrMethod.id);
      if (listed !== undefined) listed.permissions.push(texts.relationships[name]);
      else if (typeof idOrMethod !== "string") {
        // A key listed only under `capabilityInvocation` can deactivate the identity and nothing else.
        const permission = name === "capabilityInvocation" ? texts.deactivateOnly : texts.relationships[name];
        keys.set(idOrMethod.id, { method: idOrMethod, permissions: [permission] });
      }
    }
  return [...keys.values()].map(({ method, permissions }) => ({
    id: method.id,
    controller: method.controller,
    kind: kindOf(method),
    isForEncryption: kindOf(method) === X25519,
    text: method.publicKeyMultibase,
    expires: parseTime(method.expires),
    permissions,
  }));
}

export interface ShownService {
  readonly id: string;
  readonly type: string;
  readonly endpoints: readonly string[];
  /** JSON; undefined if there are none. */
  readonly otherMembers: string | undefined;
}

function textOf(value: unknown): string {
  return typeof value === "string"
    ? value
    : JSON.stringify(value, (_name, member) => (typeof member === "bigint" ? Number(member) : member), 2);
}

export function servicesOf(document: DidDocument): readonly ShownService[] {
  return (document.service ?? []).map((service) => {
    const { id, type, serviceEndpoint, ...otherMembers } = service;
    const endpoints = Array.isArray(serviceEndpoint) ? serviceEndpoint : [serviceEndpoint];
    return {
      id: textOf(id ?? ""),
      type: Array.isArray(type) ? type.map(textOf).join(", ") : textOf(type ?? ""),
      endpoints: endpoints.filter((endpoint) => endpoint !== undefined).map(textOf),
      otherMembers: Object.keys(otherMembers).length === 0 ? undefined : textOf(otherMembers),
    };
  });
}

/** In UTF-16 units. */
const MAX_LINK_LENGTH = 400;

/** Undefined for a URL with another scheme than https, with credentials, or with characters to encode. */
export function safeLink(text: string): string | undefined {
  if (text.length > MAX_LINK_LENGTH || !/^https:\/\/[\x21-\x7e]+$/.test(text) || !URL.canParse(text))
    return undefined;
  const url = new URL(text);
  return url.username === "" && url.password === "" ? text : undefined;
}
