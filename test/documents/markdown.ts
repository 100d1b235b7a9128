/** Parses the commands that a document shows, with their output. */

/** A command with the output that the document shows for it. */
export interface Command {
  readonly kind: "command";
  /** Line number in the document, from 1. */
  readonly line: number;
  /** As typed, including continuation lines. */
  readonly text: string;
  /** The lines shown; undefined in `sh` blocks, which never show output. */
  readonly output: string | undefined;
}

/** A block that the reader saves as a file. */
export interface FileStep {
  readonly kind: "file";
  readonly line: number;
  readonly name: string;
  readonly text: string;
}

/** Commands that a test cannot run, with the reason. */
export interface Left {
  readonly kind: "left";
  readonly line: number;
  readonly reason: string;
  readonly commands: number;
}

export type Step = Command | FileStep | Left;

const FENCE = /^( *)```(\S*)\s*$/;
const NOTE = /^ *<!-- (not run|file): *(.*?) *-->$/;

/** Commands of a block without output: each line except empty ones and comments. */
function shellCommands(lines: readonly string[], first: number): Command[] {
  return joined(lines, first)
    .filter(({ text }) => text.trim() !== "" && !text.trim().startsWith("#"))
    .map(({ text, line }) => ({ kind: "command", line, text, output: undefined }));
}

/** Joins lines that end with a backslash. */
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

/** Commands of a block in which `$` marks input. */
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
 * Returns the steps of a document in order. Blocks marked `console` or `sh` are run. Invisible comments before a block
 * change that: `<!-- not run: why -->`, and for any kind of block `<!-- file: name -->`.
 * @throws Error if such a comment has no text or no block after it
 */
export function stepsOf(document: string): Step[] {
  const steps: Step[] = [];
  const lines = document.split("\n");
  let note: { what: string; text: string; line: number } | undefined;
  for (let at = 0; at < lines.length; at++) {
    const said = NOTE.exec(lines[at]);
    if (said !== null) {
      if (note !== undefined || said[2] === "")
        throw new Error(`line ${at + 1}: this comment has no text or no block`);
      note = { what: said[1], text: said[2], line: at + 1 };
      continue;
    }
    const fence = FENCE.exec(lines[at]);
    if (fence === null) {
      if (note !== undefined && lines[at].trim() !== "")
        throw new Error(`line ${note.line}: no block follows this comment`);
      continue;
    }
    const [, indent, language] = fence;
    const end = lines.indexOf(`${indent}\`\`\``, at + 1);
    if (end < 0) throw new Error(`line ${at + 1}: this block has no end`);
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
      if (commands.length === 0) throw new Error(`line ${note.line}: this block would not be run anyway`);
      steps.push({ kind: "left", line: first, reason: note.text, commands: commands.length });
    } else steps.push(...commands);
    note = undefined;
    at = end;
  }
  return steps;
}
