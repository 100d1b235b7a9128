/** What a document tells its reader to type, and what it says comes of it. */

/** A command with the output that the document shows for it. */
export interface Command {
  readonly kind: "command";
  /** Line of the document, from 1. */
  readonly line: number;
  /** As typed, lines that go on in the next one included. */
  readonly text: string;
  /** The lines shown; undefined where the document shows none on principle (`sh` blocks). */
  readonly output: string | undefined;
}

/** A block that the reader puts into a file. */
export interface FileStep {
  readonly kind: "file";
  readonly line: number;
  readonly name: string;
  readonly text: string;
}

/** Commands that a test cannot run, and why. */
export interface Left {
  readonly kind: "left";
  readonly line: number;
  readonly reason: string;
  readonly commands: number;
}

export type Step = Command | FileStep | Left;

const FENCE = /^( *)```(\S*)\s*$/;
const NOTE = /^ *<!-- (not run|file): *(.*?) *-->$/;

/** Lines of a block that show no output: each line is a command, but empty ones and comments. */
function shellCommands(lines: readonly string[], first: number): Command[] {
  return joined(lines, first)
    .filter(({ text }) => text.trim() !== "" && !text.trim().startsWith("#"))
    .map(({ text, line }) => ({ kind: "command", line, text, output: undefined }));
}

/** Lines put together that end with a backslash. */
function joined(lines: readonly string[], first: number): { text: string; line: number }[] {
  const whole: { text: string; line: number }[] = [];
  let open = false;
  lines.forEach((text, index) => {
    const last = whole.at(-1);
    if (open && last !== undefined) last.text += `\n${text}`;
    else whole.push({ text, line: first + index });
    open = text.endsWith("\\");
  });
  return whole;
}

/** Lines of a block in which `$` marks what is typed. */
function consoleCommands(lines: readonly string[], first: number): Command[] {
  const commands: { line: number; text: string; output: string[] }[] = [];
  for (const { text, line } of joined(lines, first)) {
    if (text.startsWith("$ ")) commands.push({ line, text: text.slice(2), output: [] });
    else {
      const command = commands.at(-1);
      if (command === undefined) throw new Error(`line ${line}: output before the first command`);
      command.output.push(text);
    }
  }
  return commands.map(({ line, text, output }) => ({
    kind: "command",
    line,
    text,
    output: output.join("\n").trim(),
  }));
}

/**
 * The steps of a document, in its order. Blocks marked `console` or `sh` are run. Invisible comments before a
 * block change that: `<!-- not run: why -->`, and for a block of any kind `<!-- file: name -->`.
 * @throws Error when a comment of this kind has no text, or stands before no block
 */
export function stepsOf(document: string): Step[] {
  const steps: Step[] = [];
  const lines = document.split("\n");
  let note: { what: string; text: string; line: number } | undefined;
  for (let at = 0; at < lines.length; at++) {
    const said = NOTE.exec(lines[at]);
    if (said !== null) {
      if (note !== undefined || said[2] === "")
        throw new Error(`line ${at + 1}: a note without its text or block`);
      note = { what: said[1], text: said[2], line: at + 1 };
      continue;
    }
    const fence = FENCE.exec(lines[at]);
    if (fence === null) {
      if (note !== undefined && lines[at].trim() !== "")
        throw new Error(`line ${note.line}: a note that stands before no block`);
      continue;
    }
    const [, indent, language] = fence;
    const end = lines.indexOf(`${indent}\`\`\``, at + 1);
    if (end < 0) throw new Error(`line ${at + 1}: a block without an end`);
    const block = lines.slice(at + 1, end).map((line) => line.slice(indent.length));
    const first = at + 2;
    const commands =
      language === "console"
        ? consoleCommands(block, first)
        : language === "sh"
          ? shellCommands(block, first)
          : [];
    if (note?.what === "file")
      steps.push({ kind: "file", line: first, name: note.text, text: `${block.join("\n")}\n` });
    else if (note?.what === "not run") {
      if (commands.length === 0) throw new Error(`line ${note.line}: nothing that would be run`);
      steps.push({ kind: "left", line: first, reason: note.text, commands: commands.length });
    } else steps.push(...commands);
    note = undefined;
    at = end;
  }
  return steps;
}
