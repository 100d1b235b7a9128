import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { askSecrets } from "./ask-secrets.ts";

function terminal() {
  const input = new PassThrough();
  let shown = "";
  const output = {
    write: (text: string | Uint8Array) => {
      shown += String(text);
      return true;
    },
  };
  return { input, output, shown: () => shown };
}

test("secrets are read without being shown, even several lines at once", async () => {
  const { input, output, shown } = terminal();
  const answers = askSecrets(input, output, ["Old", "New"]);
  input.write("correc\x7fct horse\nstaple\nnot read\n");
  expect(await answers).toEqual(["correct horse", "staple"]);
  expect(shown()).toBe("Old: \nNew: \n");
});

test.each([
  ["Ctrl-C", "abc\x03"],
  ["the end of the input", "abc\x04\x15\x04"],
])("%s ends the question with an error", async (_, keys) => {
  const { input, output, shown } = terminal();
  const answers = askSecrets(input, output, ["Old"]);
  input.write(keys);
  await expect(answers).rejects.toThrow("Stopped. Nothing was changed.");
  expect(shown()).not.toContain("abc");
});
