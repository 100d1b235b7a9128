/** What a DID document says, as people ask: which keys there are, what each may do, and which services. */
import type { Answer } from "../../../client/index.ts";

/** A document in the strict form. */
export type DidDocument = NonNullable<Answer<"GET /1.0/identifiers/:did">["didDocument"]>;
type Method = Exclude<NonNullable<DidDocument["keyAgreement"]>[number], string>;

export interface ShownKey {
  readonly id: string;
  /** DID of the account whose key it is. */
  readonly controller: string;
  /** Its kind, such as `ed25519`; as the document names it where it is another one. */
  readonly kind: string;
  /** As the document has it. */
  readonly text: string;
  /** The last moment at which it counts, ms; undefined: for good. */
  readonly expires: bigint | undefined;
  /** What it may do, in words. */
  readonly may: readonly string[];
  /** Whether it is the form of a key that is good for nothing but encryption. */
  readonly forSecrets: boolean;
}

const relationships = [
  ["authentication", "prove to be this identity"],
  ["assertionMethod", "sign statements and credentials in its name"],
  ["keyAgreement", "read what is encrypted for it"],
  ["capabilityInvocation", "use the powers that it was given"],
  ["capabilityDelegation", "pass these powers on"],
] as const;

/** A key that stands under this relationship alone was given nothing but the power to end the identity. */
const DEACTIVATES = "deactivate this identity, and nothing else";

const X25519 = "X25519";

/** What texts of keys begin with, by the kind of key: `z` and the Base58 of its multicodec. */
const kinds: readonly (readonly [beginning: string, kind: string])[] = [
  ["z6Mk", "ed25519"],
  ["z6LS", X25519],
  ["zQ3s", "secp256k1"],
  ["zDn", "NIST P-256"],
];

function kindOf({ type, publicKeyMultibase }: Method): string {
  return kinds.find(([beginning]) => publicKeyMultibase.startsWith(beginning))?.[1] ?? type;
}

/** A time that a document names, ms. */
export function parseTime(text: string | undefined): bigint | undefined {
  const ms = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(ms) ? undefined : BigInt(ms);
}

/** The keys of a document, in its order: those that are listed for all, then those that stand in one place only. */
export function keysOf(document: DidDocument): readonly ShownKey[] {
  const keys = new Map<string, { readonly method: Method; readonly may: string[] }>();
  for (const method of document.verificationMethod ?? []) keys.set(method.id, { method, may: [] });
  for (const [name, words] of relationships)
    for (const one of document[name] ?? []) {
      const known = keys.get(typeof one === "string" ? one : one.id);
      if (known !== undefined) known.may.push(words);
      else if (typeof one !== "string") {
        const may = name === "capabilityInvocation" ? DEACTIVATES : words;
        keys.set(one.id, { method: one, may: [may] });
      }
    }
  return [...keys.values()].map(({ method, may }) => ({
    id: method.id,
    controller: method.controller,
    kind: kindOf(method),
    forSecrets: kindOf(method) === X25519,
    text: method.publicKeyMultibase,
    expires: parseTime(method.expires),
    may,
  }));
}

export interface ShownService {
  readonly id: string;
  readonly type: string;
  /** Each a text; what is none, as JSON. */
  readonly endpoints: readonly string[];
  /** Members beside these, as JSON; undefined where there are none. */
  readonly more: string | undefined;
}

function textOf(value: unknown): string {
  return typeof value === "string"
    ? value
    : JSON.stringify(value, (_name, one) => (typeof one === "bigint" ? Number(one) : one), 2);
}

/** The services of a document, as they can be shown. */
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

/** Longest address that is a link, UTF-16 units: what is longer is cut as any text is. */
const MAX_LINK_LENGTH = 400;

/** Where one can go: only a page of the web by https, and only where the text is that address and nothing else. */
export function safeLink(text: string): string | undefined {
  if (text.length > MAX_LINK_LENGTH || !/^https:\/\/[\x21-\x7e]+$/.test(text) || !URL.canParse(text))
    return undefined;
  const url = new URL(text);
  return url.username === "" && url.password === "" ? text : undefined;
}
