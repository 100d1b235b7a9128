/** The source of `src/api/openapi/example-answers.ts`. */
import { isJson } from "../../src/client/testing/described-answers.ts";
import type { SentAnswer } from "./example-requests.ts";

/** Answers by route and status. */
export type RecordedAnswers = Map<string, Map<number, SentAnswer>>;

const HEAD = `// biome-ignore-all format: made by test/openapi.test.ts, as large as it must be
/**
 * What a node of the network \`dev\` answered, for the description. After a change of routes run
 * \`npx vitest run test/openapi.test.ts --update\`.
 */
import type { Examples } from "./examples.ts";

/** By route and status. */
export const exampleAnswers: Examples = {
`;

/** Numbers that a program would round are no good examples, and could not be written down here. */
function checkNumbers(text: string): void {
  if (/[:[,]-?\d{16}/.test(text)) throw new Error(`an example has too large a number: ${text}`);
}

function source({ contentType, body }: SentAnswer): string {
  if (!isJson(contentType.split(";", 1)[0])) return JSON.stringify(body);
  checkNumbers(body);
  return JSON.stringify(JSON.parse(body));
}

export function exampleAnswersSource(recorded: RecordedAnswers): string {
  const lines = [...recorded].map(([key, answers]) => {
    const one = [...answers]
      // Bytes that are no text cannot be shown as one.
      .filter(([, { contentType }]) => !contentType.includes("octet-stream"))
      .sort(([a], [b]) => a - b)
      .map(([status, answer]) => {
        return `    ${status}: ${source(answer)},\n`;
      });
    return `  ${JSON.stringify(key)}: {\n${one.join("")}  },\n`;
  });
  return `${HEAD}${lines.join("")}};\n`;
}
