/** Generates the content of `src/api/openapi/example-answers.json`. */
import { UNIT_STREAM } from "../../src/api/schemas/common.ts";
import { isJson } from "../../src/client/testing/described-answers.ts";
import type { SentAnswer } from "./example-requests.ts";

/** Answers by route and status. */
export type RecordedAnswers = Map<string, Map<number, SentAnswer>>;

/** Rejects numbers that a double would round. */
function checkNumbers(text: string): void {
  if (/[:[,]-?\d{16}/.test(text)) throw new Error(`the number in this example is too large: ${text}`);
}

function source({ contentType, body }: SentAnswer): string {
  if (!isJson(contentType.split(";", 1)[0])) return JSON.stringify(body);
  checkNumbers(body);
  return JSON.stringify(JSON.parse(body));
}

/** Prints JSON with one line per answer. */
export function exampleAnswersJson(recorded: RecordedAnswers): string {
  const routes = [...recorded].map(([key, answers]) => {
    const lines = [...answers]
      // Binary content cannot be shown as text.
      .filter(([, { contentType }]) => !contentType.includes("octet-stream") && contentType !== UNIT_STREAM)
      .sort(([a], [b]) => a - b)
      .map(([status, answer]) => `    "${status}": ${source(answer)}`);
    return `  ${JSON.stringify(key)}: ${lines.length === 0 ? "{}" : `{\n${lines.join(",\n")}\n  }`}`;
  });
  return `{\n${routes.join(",\n")}\n}\n`;
}
