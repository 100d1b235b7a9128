/** Keys and services of a DID document for display. */
import type { Answer } from "../../../client/index.ts";
import { identityTexts } from "./texts.ts";

export type DidDocument = NonNullable<Answer<"GET /1.0/identifiers/:did">["didDocument"]>;
type Method = Exclude<NonNullable<DidDocument["keyAgreement"]>[number], string>;

export interface ShownKey {
  readonly id: string;
  /** DID of the owner. */
  readonly controller: string;
  /** Key type, such as `ed25519`; for unknown ones the `type` in the document. */
  readonly kind: string;
  /** Multibase. */
  readonly text: string;
  /** Last moment of validity, ms; undefined for no expiry. */
  readonly expires: bigint | undefined;
  /** Phrases after "May". */
  readonly may: readonly string[];
  /** True for X25519 keys, which can only encrypt. */
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

/** Multibase prefixes by key type: `z` and the Base58 of the multicodec. */
const kinds: readonly (readonly [prefix: string, kind: string])[] = [
  ["z6Mk", "ed25519"],
  ["z6LS", X25519],
  ["zQ3s", "secp256k1"],
  ["zDn", "NIST P-256"],
];

function kindOf({ type, publicKeyMultibase }: Method): string {
  return kinds.find(([prefix]) => publicKeyMultibase.startsWith(prefix))?.[1] ?? type;
}

/** @returns ms since 1970; undefined if missing or invalid */
export function parseTime(text: string | undefined): bigint | undefined {
  const ms = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(ms) ? undefined : BigInt(ms);
}

/** Lists verification methods first, then keys embedded in a relationship. */
export function keysOf(document: DidDocument): readonly ShownKey[] {
  const keys = new Map<string, { readonly method: Method; readonly may: string[] }>();
  for (const method of document.verificationMethod ?? []) keys.set(method.id, { method, may: [] });
  for (const name of relationships)
    for (const one of document[name] ?? []) {
      const known = keys.get(typeof one === "string" ? one : one.id);
      if (known !== undefined) known.may.push(texts.relationships[name]);
      else if (typeof one !== "string") {
        // A key listed only under `capabilityInvocation` can deactivate the identity and nothing else.
        const may = name === "capabilityInvocation" ? texts.deactivateOnly : texts.relationships[name];
        keys.set(one.id, { method: one, may: [may] });
      }
    }
  return [...keys.values()].map(({ method, may }) => ({
    id: method.id,
    controller: method.controller,
    kind: kindOf(method),
    isForEncryption: kindOf(method) === X25519,
    text: method.publicKeyMultibase,
    expires: parseTime(method.expires),
    may,
  }));
}

export interface ShownService {
  readonly id: string;
  readonly type: string;
  /** Values that are not texts become JSON. */
  readonly endpoints: readonly string[];
  /** Other members as JSON; undefined if there are none. */
  readonly more: string | undefined;
}

function textOf(value: unknown): string {
  return typeof value === "string"
    ? value
    : JSON.stringify(value, (_name, one) => (typeof one === "bigint" ? Number(one) : one), 2);
}

export function servicesOf(document: DidDocument): readonly ShownService[] {
  return (document.service ?? []).map((service) => {
    const { id, type, serviceEndpoint, ...more } = service;
    const endpoints = Array.isArray(serviceEndpoint) ? serviceEndpoint : [serviceEndpoint];
    return {
      id: textOf(id ?? ""),
      type: Array.isArray(type) ? type.map(textOf).join(", ") : textOf(type ?? ""),
      endpoints: endpoints.filter((one) => one !== undefined).map(textOf),
      more: Object.keys(more).length === 0 ? undefined : textOf(more),
    };
  });
}

/** Longest URL that becomes a link, UTF-16 units. */
const MAX_LINK_LENGTH = 400;

/** Returns undefined unless the URL is safe as a link: https, printable ASCII, no credentials. */
export function safeLink(text: string): string | undefined {
  if (text.length > MAX_LINK_LENGTH || !/^https:\/\/[\x21-\x7e]+$/.test(text) || !URL.canParse(text))
    return undefined;
  const url = new URL(text);
  return url.username === "" && url.password === "" ? text : undefined;
}
