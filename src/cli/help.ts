import { type AddHelpTextContext, type AddHelpTextPosition, Command, Help } from "commander";
import { wrapWords } from "./wrap.ts";

const DEFAULT_WIDTH = 80;
const MAX_WIDTH = 100;

/** @param columns undefined without a terminal */
export function helpWidth(columns: number | undefined): number {
  return Math.min(columns ?? DEFAULT_WIDTH, MAX_WIDTH);
}

const MAX_TERM_WIDTH = 26;

/** Prints long terms on lines of their own. */
class NarrowHelp extends Help {
  override padWidth(command: Command, helper: Help): number {
    return Math.min(super.padWidth(command, helper), MAX_TERM_WIDTH);
  }

  override formatItem(term: string, termWidth: number, description: string, helper: Help): string {
    if (term.length <= termWidth || description === "")
      return super.formatItem(term, termWidth, description, helper);
    return `  ${term}\n${super.formatItem("", termWidth, description, helper)}`;
  }
}

export class WrappedHelpCommand extends Command {
  override createCommand(name?: string): Command {
    return new WrappedHelpCommand(name);
  }

  override createHelp(): Help {
    return Object.assign(new NarrowHelp(), this.configureHelp());
  }

  override addHelpText(
    position: AddHelpTextPosition,
    text: string | ((context: AddHelpTextContext) => string | undefined),
  ): this {
    return super.addHelpText(position, (context) => {
      const { getErrHelpWidth, getOutHelpWidth } = this.configureOutput();
      const width = (context.error ? getErrHelpWidth : getOutHelpWidth)?.() ?? DEFAULT_WIDTH;
      return wrapParagraphs(typeof text === "string" ? text : (text(context) ?? ""), width);
    });
  }
}

function wrapParagraphs(text: string, width: number): string {
  const lines: string[] = [];
  let paragraph: string[] = [];
  const flush = (): void => {
    lines.push(...wrapWords(paragraph.join(" "), width));
    paragraph = [];
  };
  for (const line of text.split("\n")) {
    if (line === "" || line.startsWith(" ")) {
      flush();
      lines.push(line);
    } else paragraph.push(line);
  }
  flush();
  return lines.join("\n");
}

const HELP_WORDS: ReadonlySet<string> = new Set(["help", "--help", "-h"]);

/** Turns `help A B` into `A B --help`. */
export function resolveHelp(program: Command, args: readonly string[]): readonly string[] {
  let command = program;
  let isHelpWanted = false;
  const path: string[] = [];
  for (const word of args) {
    if (command.commands.length === 0) break;
    if (HELP_WORDS.has(word)) {
      isHelpWanted = true;
      continue;
    }
    if (word.startsWith("-")) return args;
    path.push(word);
    const next = command.commands.find((one) => one.name() === word);
    if (next === undefined) return path;
    command = next;
  }
  return isHelpWanted ? [...path, "--help"] : args;
}
