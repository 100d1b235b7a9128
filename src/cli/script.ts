import type { Command } from "commander";
import { failure } from "./exit-codes.ts";
import { readInput } from "./input.ts";
import type { Io } from "./io.ts";

const about = `
FILE is a path, or - for standard input. The commands need neither a node nor a chain. docs/scripts.md is a guide.

Examples:
  $ holdfast script compile allow-list.ride > allow-list.base64
  $ holdfast script estimate allow-list.base64
  $ holdfast script decompile allow-list.base64
`;

async function readCompiled(path: string) {
  const { parseScriptText, ScriptParseError, EmptyScriptError } = await import("../script/index.ts");
  const { DecodeError } = await import("../bytes/errors.ts");
  try {
    return parseScriptText(readInput(path).trim());
  } catch (error) {
    if (
      error instanceof ScriptParseError ||
      error instanceof EmptyScriptError ||
      error instanceof DecodeError
    )
      throw failure(`${path} is not a compiled script: ${error.message}`);
    throw error;
  }
}

export function scriptCommand(program: Command, io: Io): void {
  const script = program.command("script").description("compile, estimate and decompile account scripts");
  script.addHelpText("after", about);
  script
    .command("compile <FILE>")
    .description("print the compiled script as Base64, for a set script transaction")
    .action(async (path: string) => {
      const { scriptJson } = await import("../script/index.ts");
      const { compileAccountScript } = await import("../transactions/index.ts");
      const compiled = compileAccountScript(readInput(path));
      if (!compiled.ok) throw failure(compiled.error);
      io.out(`${scriptJson(compiled.value)}\n`);
      io.err(`complexity ${compiled.value.complexity}\n`);
    });
  script
    .command("estimate <FILE>")
    .description("print the maximum cost of a compiled script")
    .action(async (path: string) => io.out(`${(await readCompiled(path)).complexity}\n`));
  script
    .command("decompile <FILE>")
    .description("print a compiled script as text")
    .action(async (path: string) => {
      const { scriptText } = await import("../script/index.ts");
      io.out(`${scriptText(await readCompiled(path))}\n`);
    });
}
