import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { failure } from "../exit-codes.ts";

/** @throws CommandError after Ctrl-C, or if the input ends */
export async function askSecrets(
  input: NodeJS.ReadableStream,
  output: Pick<NodeJS.WritableStream, "write">,
  prompts: readonly string[],
): Promise<string[]> {
  // Readline echoes each character.
  const discarded = new Writable({ write: (_chunk, _encoding, done) => done() });
  // One interface for all prompts, because it may receive several lines at once.
  const lines = createInterface({ input, output: discarded, terminal: true, historySize: 0 });
  lines.on("SIGINT", () => lines.close());
  const answers: string[] = [];
  try {
    output.write(`${prompts[0]}: `);
    for await (const line of lines) {
      output.write("\n");
      answers.push(line);
      if (answers.length === prompts.length) return answers;
      output.write(`${prompts[answers.length]}: `);
    }
    output.write("\n");
    throw failure("Stopped. Nothing was changed.");
  } finally {
    lines.close();
  }
}
