/** A parser for ordered-choice grammars with cuts, without recursion. Page 08 §3. */

/** A rule. `Silent` rules add no value to a sequence. */
export interface Parser<T> {
  readonly node: GrammarNode;
  /** Never set: only for type inference. */
  readonly type?: () => T;
}

declare const silence: unique symbol;
export type Silent = typeof silence;

/** Between the items of a sequence, `space` allows white space and `cut` forbids backtracking. */
type SequenceControl = "space" | "cut";
export const space: SequenceControl = "space";
export const cut: SequenceControl = "cut";

type GrammarNode =
  | { readonly op: "scan"; readonly scan: Scanner; readonly label: string; readonly silent: boolean }
  | { readonly op: "mark" }
  | { readonly op: "sequence"; readonly items: readonly (GrammarNode | SequenceControl)[] }
  | { readonly op: "choice"; readonly options: readonly GrammarNode[]; readonly label: string }
  | {
      readonly op: "repeat";
      readonly item: GrammarNode;
      readonly min: number;
      readonly separator: GrammarNode | undefined;
      readonly spaced: boolean;
    }
  | { readonly op: "optional"; readonly item: GrammarNode }
  | { readonly op: "nocut"; readonly item: GrammarNode }
  | { readonly op: "ahead"; readonly item: GrammarNode }
  | { readonly op: "not"; readonly item: GrammarNode; readonly label: string }
  | { readonly op: "build"; readonly item: GrammarNode; readonly build: Mapper }
  | { readonly op: "lazy"; readonly rule: () => Parser<unknown> };

/** Returns the index after a match at `index`, or -1. */
type Scanner = (text: string, index: number) => number;
type Mapper = (value: unknown) => unknown;

type Values<Items extends readonly unknown[]> = Items extends readonly [infer Head, ...infer Tail]
  ? Head extends Parser<infer T>
    ? [T] extends [Silent]
      ? Values<Tail>
      : [T, ...Values<Tail>]
    : Values<Tail>
  : [];

function scannerOf(accepts: Scanner | RegExp): Scanner {
  if (typeof accepts === "function") return accepts;
  return (text, index) => {
    accepts.lastIndex = index;
    return accepts.test(text) ? accepts.lastIndex : -1;
  };
}

/** Matches a scanner or sticky pattern, without a value. @param label name in failures */
export function scan(accepts: Scanner | RegExp, label: string): Parser<Silent> {
  return { node: { op: "scan", scan: scannerOf(accepts), label, silent: true } };
}

export function literal(text: string): Parser<Silent> {
  const label = `"${text.replaceAll('"', '\\"')}"`;
  return scan((source, index) => (source.startsWith(text, index) ? index + text.length : -1), label);
}

/** Like `scan`. The value is the matched text. */
export function capture(accepts: Scanner | RegExp, label: string): Parser<string> {
  return { node: { op: "scan", scan: scannerOf(accepts), label, silent: false } };
}

/** Consumes nothing. A `space` before it consumes white space only at the end of the text. */
export const empty: Parser<Silent> = scan((_, index) => index, "nothing");

/** The current index; consumes nothing. */
export const mark: Parser<number> = { node: { op: "mark" } };

/** Matches items in order, with white space only at `space`. The value is an array. */
export function sequence<const Items extends readonly (Parser<unknown> | SequenceControl)[]>(
  ...items: Items
): Parser<Values<Items>> {
  return {
    node: { op: "sequence", items: items.map((item) => (typeof item === "string" ? item : item.node)) },
  };
}

/** Matches the first successful option. @param label name in failures */
export function choice<Options extends readonly Parser<unknown>[]>(
  label: string,
  ...options: Options
): Parser<Options[number] extends Parser<infer T> ? T : never> {
  return { node: { op: "choice", options: options.map(({ node }) => node), label } };
}

/** Matches `item` at least `min` times (default 0). `spaced` allows white space between items and separators. */
export function repeat<T>(
  item: Parser<T>,
  options: { readonly min?: number; readonly spaced?: boolean; readonly separator?: Parser<Silent> } = {},
): Parser<T[]> {
  const { min = 0, spaced = false, separator } = options;
  return { node: { op: "repeat", item: item.node, min, spaced, separator: separator?.node } };
}

export function optional<T>(item: Parser<T>): Parser<T | undefined> {
  return { node: { op: "optional", item: item.node } };
}

/** Allows backtracking after cuts inside `item`. */
export function nocut<T>(item: Parser<T>): Parser<T> {
  return { node: { op: "nocut", item: item.node } };
}

/** Succeeds where `item` matches. Consumes nothing. */
export function lookahead(item: Parser<Silent>): Parser<Silent> {
  return { node: { op: "ahead", item: item.node } };
}

/** Succeeds where `item` does not match. Consumes nothing. */
export function not(item: Parser<Silent>): Parser<Silent> {
  return { node: { op: "not", item: item.node, label: "not" } };
}

export function map<T, U>(item: Parser<T>, builder: (value: T) => U): Parser<U> {
  // `parse` passes each builder its item's value, which TypeScript cannot check.
  return { node: { op: "build", item: item.node, build: builder as Mapper } };
}

export function silent(item: Parser<unknown>): Parser<Silent> {
  return { node: { op: "build", item: item.node, build: () => NO_VALUE } };
}

export function lazy<T>(rule: () => Parser<T>): Parser<T> {
  return { node: { op: "lazy", rule } };
}

const NO_VALUE = Symbol("no value");

type ParseResult<T> =
  | { readonly ok: true; readonly value: T; readonly end: number }
  | { readonly ok: false; readonly label: string; readonly index: number };

export class NestingError extends Error {
  override readonly name = "NestingError";
}

/** Enough for about 20,000 nested parentheses. */
const MAX_FRAMES = 400_000;

class Frame {
  node = mark.node;
  start = 0;
  /** Index of the active item or option. In a repetition: 0 first item, 1 separator, 2 later item. */
  at = 0;
  end = 0;
  itemStart = 0;
  /** True after a cut, which forbids backtracking. */
  cut = false;
  separatorCut = false;
  values: unknown[] | undefined;
}

/** @throws NestingError, and errors of functions passed to `map` */
export function parse<T>(rule: Parser<T>, text: string): ParseResult<T> {
  const machine = new Machine(text);
  // `map` keeps parser types and values consistent.
  return machine.run(rule.node) as ParseResult<T>;
}

class Machine {
  readonly #text: string;
  readonly #frames: Frame[] = [];
  #depth = 0;
  #ok = true;
  #end = 0;
  #cut = false;
  #value: unknown;
  #label = "";
  // The white space that was skipped last.
  #spaceStart = -1;
  #spaceEnd = -1;

  constructor(text: string) {
    this.#text = text;
  }

  run(root: GrammarNode): ParseResult<unknown> {
    this.#call(root, 0);
    while (this.#depth > 0) this.#resume(this.#frames[this.#depth - 1]);
    return this.#ok
      ? { ok: true, value: this.#value, end: this.#end }
      : { ok: false, label: this.#label, index: this.#end };
  }

  #succeed(end: number, cutPassed: boolean, value: unknown): void {
    this.#ok = true;
    this.#end = end;
    this.#cut = cutPassed;
    this.#value = value;
  }

  #fail(index: number, label: string): void {
    this.#ok = false;
    this.#end = index;
    this.#cut = false;
    this.#label = label;
  }

  #call(node: GrammarNode, index: number): void {
    switch (node.op) {
      case "scan": {
        const end = node.scan(this.#text, index);
        if (end < 0) this.#fail(index, node.label);
        else this.#succeed(end, false, node.silent ? NO_VALUE : this.#text.slice(index, end));
        return;
      }
      case "mark":
        this.#succeed(index, false, index);
        return;
      case "lazy":
        this.#call(node.rule().node, index);
        return;
    }
    const frame = this.#push(node, index);
    if (node.op === "sequence") this.#nextItem(frame, node.items);
    else this.#call(node.op === "choice" ? node.options[0] : node.item, index);
  }

  #push(node: GrammarNode, index: number): Frame {
    if (this.#depth === MAX_FRAMES) throw new NestingError("The text nests too deeply");
    if (this.#depth === this.#frames.length) this.#frames.push(new Frame());
    const frame = this.#frames[this.#depth++];
    frame.node = node;
    frame.start = index;
    frame.at = 0;
    frame.end = index;
    frame.itemStart = index;
    frame.cut = false;
    frame.separatorCut = false;
    frame.values = node.op === "sequence" || node.op === "repeat" ? [] : undefined;
    return frame;
  }

  #resume(frame: Frame): void {
    const { node } = frame;
    switch (node.op) {
      case "sequence":
        if (this.#ok) this.#itemDone(frame, node.items);
        else this.#leave(this.#cut || frame.cut);
        return;
      case "choice":
        if (this.#ok || this.#cut) this.#leave(this.#cut);
        else if (++frame.at < node.options.length) this.#call(node.options[frame.at], frame.start);
        else {
          this.#depth--;
          this.#fail(frame.start, node.label);
        }
        return;
      case "repeat":
        this.#resumeRepeat(frame, node);
        return;
      case "optional":
        this.#depth--;
        if (!this.#ok && !this.#cut) this.#succeed(frame.start, false, undefined);
        return;
      case "nocut":
        this.#leave(false);
        return;
      case "ahead":
        this.#leave(false);
        if (this.#ok) this.#succeed(frame.start, false, NO_VALUE);
        return;
      case "not":
        this.#depth--;
        if (this.#ok) this.#fail(frame.start, node.label);
        else this.#succeed(frame.start, false, NO_VALUE);
        return;
      case "build":
        this.#depth--;
        if (this.#ok) this.#value = node.build(this.#value);
        return;
    }
  }

  #leave(cutPassed: boolean): void {
    this.#depth--;
    this.#cut = cutPassed;
  }

  #itemDone(frame: Frame, items: readonly (GrammarNode | SequenceControl)[]): void {
    // White space before an empty item is only consumed at the end of the text.
    if (this.#end > frame.itemStart || this.#end === this.#text.length) frame.end = this.#end;
    frame.cut ||= this.#cut;
    if (this.#value !== NO_VALUE) frame.values?.push(this.#value);
    frame.at++;
    this.#nextItem(frame, items);
  }

  #nextItem(frame: Frame, items: readonly (GrammarNode | SequenceControl)[]): void {
    let start = frame.end;
    for (; frame.at < items.length; frame.at++) {
      const item = items[frame.at];
      if (item === "cut") frame.cut = true;
      else if (item === "space") start = this.#skipSpace(frame.end);
      else {
        frame.itemStart = start;
        this.#call(item, start);
        return;
      }
    }
    this.#depth--;
    this.#succeed(frame.end, frame.cut, frame.values);
  }

  #resumeRepeat(frame: Frame, node: GrammarNode & { op: "repeat" }): void {
    const inSeparator = frame.at === 1;
    if (!this.#ok) {
      if (this.#cut || (!inSeparator && frame.separatorCut)) this.#leave(true);
      else if ((frame.values?.length ?? 0) < node.min) this.#leave(false);
      else {
        this.#depth--;
        this.#succeed(frame.end, frame.cut, frame.values);
      }
      return;
    }
    if (inSeparator) {
      frame.separatorCut = this.#cut;
      this.#callItem(frame, node, this.#end);
      return;
    }
    frame.values?.push(this.#value);
    // Forgets cuts before the last item and the separator in front of it.
    frame.cut = frame.separatorCut || this.#cut;
    frame.separatorCut = false;
    frame.end = this.#end;
    const next = node.spaced ? this.#skipSpace(frame.end) : frame.end;
    if (node.separator === undefined) this.#callItem(frame, node, next);
    else {
      frame.at = 1;
      this.#call(node.separator, next);
    }
  }

  #callItem(frame: Frame, node: GrammarNode & { op: "repeat" }, index: number): void {
    frame.at = 2;
    const isAfterSeparator = node.spaced && node.separator !== undefined;
    this.#call(node.item, isAfterSeparator ? this.#skipSpace(index) : index);
  }

  #skipSpace(index: number): number {
    if (index === this.#spaceStart) return this.#spaceEnd;
    let end = index;
    while (end < this.#text.length && isSpace(this.#text.charCodeAt(end))) end++;
    this.#spaceStart = index;
    this.#spaceEnd = end;
    return end;
  }
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0d || code === 0x0a;
}
