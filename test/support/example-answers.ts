/** What `src/api/openapi/example-answers.json` is to hold. */
import { isJson } from "../../src/client/testing/described-answers.ts";
import type { SentAnswer } from "./example-requests.ts";

/** Answers by route and status. */
export type RecordedAnswers = Map<string, Map<number, SentAnswer>>;

/** Numbers that a program would round are no good examples, and could not be written down here. */
function checkNumbers(text: string): void {
  if (/[:[,]-?\d{16}/.test(text)) throw new Error(`an example has too large a number: ${text}`);
}

function source({ contentType, body }: SentAnswer): string {
  if (!isJson(contentType.split(";", 1)[0])) return JSON.stringify(body);
  checkNumbers(body);
  return JSON.stringify(JSON.parse(body));
}

/** JSON with a line for each answer. */
export function exampleAnswersJson(recorded: RecordedAnswers): string {
  const routes = [...recorded].map(([key, answers]) => {
    const lines = [...answers]
      // Bytes that are no text cannot be shown as one.
      .filter(([, { contentType }]) => !contentType.includes("octet-stream"))
      .sort(([a], [b]) => a - b)
      .map(([status, answer]) => `    "${status}": ${source(answer)}`);
    return `  ${JSON.stringify(key)}: ${lines.length === 0 ? "{}" : `{\n${lines.join(",\n")}\n  }`}`;
  });
  return `{\n${routes.join(",\n")}\n}\n`;
}
