import { countText } from "../numbers.ts";
import { wrapWords } from "../wrap.ts";

export interface Check {
  readonly name: string;
  readonly state: "ok" | "warning" | "problem";
  /** Never contains a secret. */
  readonly message: string;
  readonly advice?: string;
}

export const ok = (name: string, message: string): Check => ({ name, state: "ok", message });

export const warning = (name: string, message: string, advice: string): Check => ({
  name,
  state: "warning",
  message,
  advice,
});

export const problem = (name: string, message: string, advice: string): Check => ({
  name,
  state: "problem",
  message,
  advice,
});

export function checksText(checks: readonly Check[], width: number): string {
  const nameWidth = Math.max(...checks.map(({ name }) => name.length));
  const indent = " ".repeat("problem".length + nameWidth + 4);
  const lines = checks.flatMap(({ name, state, message, advice }) => {
    const texts = [message, ...(advice === undefined ? [] : [advice])];
    const [first, ...others] = texts.flatMap((text) => wrapWords(text, width - indent.length));
    return [
      `${state.padEnd("problem".length)}  ${name.padEnd(nameWidth)}  ${first}`,
      ...others.map((line) => `${indent}${line}`),
    ];
  });
  const countOf = (state: Check["state"]) => checks.filter((one) => one.state === state).length;
  const summary = `${countText(countOf("problem"), "problem")}, ${countText(countOf("warning"), "warning")}`;
  return `${lines.join("\n")}\n\n${summary}\n`;
}

export function checksJson(checks: readonly Check[]): string {
  const isOk = checks.every(({ state }) => state !== "problem");
  return `${JSON.stringify({ ok: isOk, checks })}\n`;
}
