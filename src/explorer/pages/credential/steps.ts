import { type Credential, checkProof } from "../../../client/credential-proof.ts";
import type { CheckOutcome } from "../../check/check-outcome.ts";
import type { CheckState, CheckStep } from "../../check/steps.ts";
import { isoText } from "../../text/text.ts";
import { pathFromRoot } from "../trust/graph.ts";
import { trustTexts } from "../trust/texts.ts";
import type { CredentialFacts } from "./facts.ts";
import { credentialTexts as texts } from "./texts.ts";

type StepName = keyof typeof texts.steps;

interface Finding {
  readonly state: CheckState;
  readonly text: string;
}

const holds = (text: string): Finding => ({ state: "holds", text });
const fails = (text: string): Finding => ({ state: "fails", text });
const notChecked = (text: string): Finding => ({ state: "left out", text });

function signatureFinding(credential: Credential, { keys }: CredentialFacts): Finding {
  const { proof } = credential;
  if (proof.kind === "unsupported") return notChecked(texts.signature.notChecked(proof.name));
  if (!keys.ok) return notChecked(texts.signature.noKeys);
  const result = checkProof(credential, keys.value);
  if (result === "valid") return holds(texts.signature.valid(proof.algorithm));
  return fails(result === "invalid" ? texts.signature.invalid : texts.signature.unknownKey);
}

function statusFinding({ status }: CredentialFacts): Finding {
  if (!status.ok) return notChecked(status.problem.message);
  const { issued, suspended, revoked } = status.value;
  const at = (text: string, time: string): string => text.replace("{time}", time);
  if (revoked !== undefined) return fails(at(texts.status.revoked, revoked));
  if (suspended !== undefined) return fails(at(texts.status.suspended, suspended));
  return issued === undefined ? notChecked(texts.status.none) : holds(at(texts.status.issued, issued));
}

function validityFinding({ validFrom, validUntil }: Credential, now: number): Finding {
  const timeText = (ms: number): string => isoText(BigInt(ms)) ?? String(ms);
  if (validFrom !== undefined && now < validFrom) return fails(texts.validity.notYet(timeText(validFrom)));
  if (validUntil === undefined) return holds(texts.validity.noEnd);
  return now > validUntil
    ? fails(texts.validity.expired(timeText(validUntil)))
    : holds(texts.validity.until(timeText(validUntil)));
}

function trustFinding({ issuer }: Credential, { trust }: CredentialFacts): Finding {
  if (!trust.ok) return notChecked(trust.problem.message);
  const { root, grants, next } = trust.value;
  if (root === undefined) return notChecked(trustTexts.noRoot);
  const path = pathFromRoot(grants, root, issuer.replace(/^.*:/, ""));
  if (path !== undefined) return holds(texts.trust.path(path.map(({ role }) => role)));
  return next === undefined ? fails(texts.trust.noPath) : notChecked(texts.trust.partial);
}

/** @param now ms since 1970 */
export function credentialSteps(
  credential: Credential,
  facts: CredentialFacts,
  now: number,
  nodeUrl: string,
): readonly (CheckStep & { readonly name: StepName })[] {
  const { issuer, statusId } = credential;
  const findings: Readonly<Record<StepName, Finding>> = {
    issuer: facts.keys.ok ? holds(texts.issuer.known) : fails(facts.keys.problem.message),
    signature: signatureFinding(credential, facts),
    status: statusFinding(facts),
    validity: validityFinding(credential, now),
    trust: trustFinding(credential, facts),
  };
  const did = encodeURIComponent(issuer).replaceAll("%3A", ":").replaceAll("'", "%27");
  const commands: Readonly<Record<StepName, readonly string[]>> = {
    issuer: [`curl -s '${nodeUrl}1.0/identifiers/${did}'`],
    signature: [`curl -s '${nodeUrl}1.0/identifiers/${did}' | jq .didDocument.assertionMethod`],
    status: [`curl -s '${nodeUrl}credential-status/${statusId}?issuer=${did}'`],
    validity: ["date -u +%FT%TZ"],
    trust: [`curl -s '${nodeUrl}roles'`],
  };
  // Safe cast: the keys are those of `texts.steps`.
  return (Object.keys(texts.steps) as StepName[]).map((name) => ({
    name,
    title: texts.steps[name].title,
    state: findings[name].state,
    findings: [{ text: findings[name].text, holds: findings[name].state !== "fails" }],
    howTo: { text: texts.steps[name].howTo, commands: commands[name] },
  }));
}

/** Good only if every step holds. */
export function credentialOutcome(steps: ReturnType<typeof credentialSteps>): CheckOutcome {
  const stateOf = (name: StepName): CheckState | undefined => steps.find((step) => step.name === name)?.state;
  const outcome = (tone: CheckOutcome["tone"], name: keyof typeof texts.outcomes): CheckOutcome => {
    const [title, sentence, advice] = texts.outcomes[name];
    return { tone, title, sentence: [sentence], advice };
  };
  if (["issuer", "signature", "status", "validity"].some((name) => stateOf(name as StepName) === "fails"))
    return outcome("bad", "invalid");
  if (stateOf("signature") !== "holds") return outcome("unknown", "notChecked");
  if (stateOf("status") !== "holds") return outcome("waiting", "noStatus");
  return stateOf("trust") === "holds" ? outcome("good", "valid") : outcome("waiting", "untrusted");
}
