import type { AnchorStep, AnchorStepName, AnchorVerdict } from "../../client/anchor-verdict.ts";
import { checkTexts as texts } from "./texts.ts";

type CheckName = "file" | "proof" | "block" | "transaction" | "final";

/** `left out`: not checked, for example after a failed step. */
export type CheckState = "waiting" | "running" | "holds" | "fails" | "left out";

export interface CheckStep {
  readonly name: string;
  readonly title: string;
  readonly state: CheckState;
  readonly findings: readonly { readonly text: string; readonly holds: boolean }[];
  readonly howTo: Instructions;
}

interface Instructions {
  readonly text: string;
  readonly commands: readonly string[];
}

interface CheckProgress {
  /** In hexadecimal; undefined while it is being computed. */
  readonly hash: string | undefined;
  readonly hasFile: boolean;
  readonly fileProblem?: string | undefined;
  readonly steps: readonly AnchorStep[];
  readonly verdict?: AnchorVerdict | undefined;
  readonly nodeUrl: string;
}

const STEP_GROUPS: Readonly<Record<Exclude<CheckName, "file">, readonly AnchorStepName[]>> = {
  proof: ["proof", "path"],
  block: ["node", "block"],
  transaction: ["transaction", "signature", "place"],
  final: ["final"],
};

const quoteUrl = (url: string): string => `'${url.replaceAll("'", "%27")}'`;

function instructionsOf(name: CheckName, { hash = "HASH", nodeUrl, verdict }: CheckProgress): Instructions {
  const node = quoteUrl(nodeUrl.replace(/\/+$/, ""));
  const { transactionId = "ID", height = "HEIGHT", blockId = "BLOCK" } = verdict?.anchored ?? {};
  const commands: Readonly<Record<CheckName, readonly string[]>> = {
    file: ["sha256sum FILE", `certutil -hashfile FILE SHA256   # ${texts.onWindows}`],
    proof: [`curl -s ${node}/hash/${hash} > proof.json`, "jq .chainpoint proof.json"],
    block: [
      `curl -s ${node}/blocks/bytes/${blockId} > block.bin`,
      "head -c -64 block.bin > message; tail -c 64 block.bin > signature",
      "{ printf '302a300506032b6570032100' | xxd -r -p; tail -c 96 block.bin | head -c 32; } > key.der",
      "openssl pkeyutl -verify -pubin -keyform DER -inkey key.der -rawin -in message -sigfile signature",
    ],
    transaction: [
      `curl -s ${node}/transactions/info/${transactionId} | jq .`,
      `xxd -p block.bin | tr -d '\\n' | grep -o ${hash}`,
    ],
    final: [
      `curl -s https://ANOTHER-NODE/blocks/headers/at/${height} | jq -r .signature   # ${texts.mustBe(blockId)}`,
      `holdfast verify-anchor FILE --node ${node} --node https://ANOTHER-NODE   # ${texts.allOfThis}`,
    ],
  };
  return { text: texts.instructions(hash, height)[name], commands: commands[name] };
}

function fileStep(progress: CheckProgress): CheckStep {
  const { hash, hasFile, fileProblem } = progress;
  const findings =
    fileProblem !== undefined
      ? [{ text: fileProblem, holds: false }]
      : hash === undefined
        ? []
        : [{ text: hasFile ? texts.computedHash(hash) : texts.enteredHash(hash), holds: true }];
  const state = fileProblem !== undefined ? "fails" : hash === undefined ? "running" : "holds";
  return { name: "file", title: texts.titles.file, state, findings, howTo: instructionsOf("file", progress) };
}

function capitalize(text: string): string {
  return /^https?:/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1);
}

export function checkSteps(progress: CheckProgress): readonly CheckStep[] {
  const first = fileStep(progress);
  const { steps, verdict } = progress;
  const isFinished = verdict !== undefined || first.state === "fails";
  let previous: CheckState = first.state;
  const others = Object.entries(STEP_GROUPS).map(([key, names]): CheckStep => {
    // Safe cast: the keys are those of STEP_GROUPS.
    const name = key as Exclude<CheckName, "file">;
    const findings = steps
      .filter((step) => names.includes(step.name))
      .map(({ says, holds }) => ({ text: capitalize(says), holds }));
    const state = stateOf(findings, previous, isFinished, hasLaterStep(steps, names));
    previous = state;
    return { name, title: texts.titles[name], state, findings, howTo: instructionsOf(name, progress) };
  });
  return [first, ...others];
}

function hasLaterStep(steps: readonly AnchorStep[], names: readonly AnchorStepName[]): boolean {
  const order = Object.values(STEP_GROUPS).flat();
  const last = Math.max(...names.map((name) => order.indexOf(name)));
  return steps.some(({ name }) => order.indexOf(name) > last);
}

function stateOf(
  findings: CheckStep["findings"],
  previous: CheckState,
  isFinished: boolean,
  hasNextBegun: boolean,
): CheckState {
  if (findings.some(({ holds }) => !holds)) return "fails";
  if (previous === "fails" || previous === "left out") return "left out";
  if (findings.length > 0 && (hasNextBegun || isFinished)) return "holds";
  if (isFinished) return "left out";
  return previous === "holds" ? "running" : "waiting";
}
