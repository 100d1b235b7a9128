import { catalogue } from "../../text/catalogue.ts";

export const credentialTexts = catalogue("credentialTexts", {
  title: "Check a credential",
  drop: "Drop a credential, or choose a file",
  privacy: "The credential stays on this device. The node learns only its hash and its issuer.",
  label: "Or paste it: JSON, or a JWT",
  claims: "Claims",
  statusId: "Hash of its statements",
  outcomes: {
    valid: [
      "Valid",
      "The issuer signed this credential and did not revoke it, and got its role from the root of trust.",
      "The page does not judge whether the role allows the issuer to issue this type of credential.",
    ],
    untrusted: [
      "Signed, but not trusted",
      "The issuer signed this credential and did not revoke it, but the root of trust gave the issuer no role.",
      "Decide yourself whether you trust the issuer.",
    ],
    noStatus: [
      "Signed, without a status",
      "The issuer signed this credential, but the chain has no statement that it was issued.",
      "The issuer may not publish the status of its credentials. Ask the issuer.",
    ],
    notChecked: [
      "Signature not checked",
      "This page cannot check the proof of this credential, so anyone could have written it.",
      "Check the signature with the software that made it.",
    ],
    invalid: ["Not valid", "A check failed: do not accept this credential.", "The steps show which one."],
  } satisfies Readonly<Record<string, readonly [title: string, sentence: string, advice: string]>>,
  steps: {
    issuer: {
      title: "The chain has the issuer's identity",
      howTo: "Resolve the issuer's DID: the answer must contain a DID document.",
    },
    signature: {
      title: "The issuer signed the credential",
      howTo:
        "The key that the proof names must be listed under assertionMethod of the issuer's DID document. For a JWT, the signature covers the first two parts of the text. For eddsa-jcs-2022, it covers two SHA-256 hashes: of the canonical JSON (RFC 8785) of the proof without proofValue, and of the credential without the proof.",
    },
    status: {
      title: "The credential is issued and not revoked",
      howTo:
        "The hash is the Base58 SHA-256 of the canonical JSON (RFC 8785) of the credential without credentialStatus and proof. Ask the node for statements about it.",
    },
    validity: {
      title: "The credential is valid now",
      howTo: "Compare the dates in the credential with today.",
    },
    trust: {
      title: "The root of trust vouches for the issuer",
      howTo: "Follow the senders of the issuer's roles until you reach the root.",
    },
  },
  issuer: { known: "The DID resolves, and is not deactivated." },
  signature: {
    valid: (algorithm: string) => `The signature (${algorithm}) is valid, and its key may sign credentials.`,
    invalid: "The signature does not belong to this credential and key.",
    unknownKey: "The proof's key may not sign credentials for the issuer now.",
    noKeys: "Without the issuer's keys, the signature cannot be checked.",
    notChecked: (proof: string) => `Signature not checked: this page does not support the proof (${proof}).`,
  },
  status: {
    issued: "Issued on {time}, neither suspended nor revoked.",
    suspended: "Suspended since {time}.",
    revoked: "Revoked on {time}. This is permanent.",
    none: "The issuer made no statement about this credential.",
  },
  validity: {
    noEnd: "The credential does not expire.",
    until: (time: string) => `Valid until ${time}.`,
    notYet: (time: string) => `Valid only from ${time}.`,
    expired: (time: string) => `Expired on ${time}.`,
  },
  trust: {
    title: "From the root of trust to the issuer",
    root: "Root of trust",
    noPath: "No chain of grants leads from the root to the issuer.",
    partial: "The node has more grants than this page reads, and the issuer is not among them.",
    path: (roles: readonly string[]) =>
      roles.length === 0
        ? "The issuer is the root."
        : `Roles from the root to the issuer: ${roles.join(" → ")}`,
  },
});
