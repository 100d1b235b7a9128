/** A credential that a university of the trust network signed. */
import { encodeBase58 } from "../../../src/bytes/base58.ts";
import { parseCredential } from "../../../src/client/credential-proof.ts";
import { sign } from "../../../src/crypto/signatures.ts";
import { bob } from "./accounts.ts";

/** @param issuer address of `bob` */
export function diplomaOf(issuer: string): { readonly text: string; readonly statusId: string } {
  const did = `did:lto:${issuer}`;
  const diploma = {
    "@context": ["https://www.w3.org/ns/credentials/v2"],
    type: ["VerifiableCredential", "Diploma"],
    issuer: did,
    validFrom: "2026-02-01T00:00:00Z",
    credentialSubject: { id: "did:example:carol", degree: "Bachelor of Arts" },
  };
  const options = {
    type: "DataIntegrityProof",
    cryptosuite: "eddsa-jcs-2022",
    verificationMethod: `${did}#sign`,
    proofPurpose: "assertionMethod",
  };
  const { proof, statusId } = parseCredential(
    JSON.stringify({ ...diploma, proof: { ...options, proofValue: "z1" } }),
  );
  if (proof.kind !== "signed") throw new Error("The proof is not supported");
  const proofValue = `z${encodeBase58(sign(bob, proof.signedBytes))}`;
  return { text: JSON.stringify({ ...diploma, proof: { ...options, proofValue } }), statusId };
}
