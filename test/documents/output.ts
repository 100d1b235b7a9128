/**
 * Compares a document's output with a command's real output. Values that change in every run are compared by form:
 * times, heights, sizes. Ids, signatures and addresses are bound: a value that the document repeats must repeat in the
 * real output, and commands that contain it get the real value.
 */

/** Maps the document's values to the real ones. */
export type Bindings = Map<string, string>;

/** An id, a signature, a public key or an address in Base58; a list cursor. */
const OPAQUE =
  /(?<![A-Za-z0-9])[1-9A-HJ-NP-Za-km-z]{35,}(?![A-Za-z0-9+/=])|(?<=cursor: |cursor=)[A-Za-z0-9_-]{20,}/;
const opaqueForm = "([A-Za-z0-9_-]{20,})";

/** Unpredictable numbers of JSON members. */
const members = [
  "timestamp",
  "height",
  "blocksize",
  "base-target",
  "basetarget",
  "miningBalance",
  "generatorReward",
  "blockchainHeight",
  "stateHeight",
  "sequence",
  "position",
  "processingHeight",
  "count",
  "in",
  "out",
  "supply",
  "leased",
  "reward",
  "blocks",
  "window",
  "memoryBytes",
  "storeBytes",
  "diskFreeBytes",
  "diskBytes",
];

/** Each kind of variable text: its form in the document, and the pattern of real values. */
const kinds: readonly { readonly shown: RegExp; readonly form: string }[] = [
  { shown: /base64:[A-Za-z0-9+/=]+/, form: "" },
  { shown: /(?<![A-Za-z0-9])[0-9a-f]{64}(?![A-Za-z0-9])/, form: "" },
  {
    shown: /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{3})?Z/,
    form: "\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d:\\d\\d(?:\\.\\d{3})?Z",
  },
  {
    shown: /[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT/,
    form: "[A-Z][a-z]{2}, \\d\\d [A-Z][a-z]{2} \\d{4} \\d\\d:\\d\\d:\\d\\d GMT",
  },
  // Ids of events: a position on the chain.
  { shown: /(?<![\d.])\d+\.\d+\.(?=[1-9A-HJ-NP-Za-km-z]{80,})/, form: "\\d+\\.\\d+\\." },
  { shown: /(?<=[1-9A-HJ-NP-Za-km-z]{80,})\.\d+/, form: "\\.\\d+" },
  // Days, and counts of them.
  { shown: /\d{4}-\d\d-\d\d 00:00:00/, form: "\\d{4}-\\d\\d-\\d\\d 00:00:00" },
  { shown: /(?<="(?:leasedShare|share|blockShare|stakeShare)":)[\d.]+/, form: "[\\d.e-]+" },
  { shown: /(?<="balance":)\d+(?=,"(?:share|stakeShare)")/, form: "\\d+" },
  { shown: /\b\d+\.\d{8}\b/, form: "\\d+\\.\\d{8}" },
  // Times in milliseconds, at any position.
  { shown: /(?<![0-9])1[78]\d{11}(?![0-9])/, form: "1\\d{12}" },
  {
    shown: /\d+ ms\b|(?<= in )(?:\d+ min )?\d+ s\b/,
    form: "\\d+ (?:min|s|ms)(?: \\d+ (?:s|ms))?",
  },
  { shown: /\d+(?= s after)|(?<=, height )\d+/, form: "\\d+" },
  // Depth of a block.
  {
    shown: /(?<=\b(?:in|with) (?:block )?|\band )\d+(?: blocks?)?(?=,? (?:of the chain|upon)|, [1-9A-Z])/i,
    form: "\\d+(?: blocks?)?",
  },
  { shown: /\d+ blocks? stands? on/, form: "\\d+ blocks? stands? on" },
  { shown: /[\d,]+(?= transactions\/s| rows)/, form: "[\\d,]+" },
  { shown: /v\d+\.\d+\.\d+/, form: "v\\d+\\.\\d+\\.\\d+" },
  ...members.map((name) => ({
    shown: new RegExp(`(?<="${name}": ?"?)\\d+|(?<=\\b${name}=)\\d+`),
    form: "\\d+",
  })),
];

const shownAnywhere = new RegExp(
  [...kinds.map(({ shown }) => shown), OPAQUE].map((shown) => `(${shown.source})`).join("|"),
  "g",
);

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** A regular expression for one line, and the document's values of its groups. */
function lineForm(line: string, groups: string[]): string {
  let form = "";
  let last = 0;
  for (const match of line.matchAll(shownAnywhere)) {
    form += escaped(line.slice(last, match.index));
    last = match.index + match[0].length;
    const kind = kinds[match.slice(1).findIndex((group) => group !== undefined)];
    if (kind !== undefined) form += kind.form === "" ? escaped(match[0]) : kind.form;
    else {
      groups.push(match[0]);
      form += opaqueForm;
    }
  }
  return form + escaped(line.slice(last));
}

/**
 * Returns the bindings that make the output equal to the document's; undefined if there are none. A line that begins
 * with `…` matches any lines, and if `wholly` is false any text may follow.
 */
export function matchOutput(
  shown: string,
  came: string,
  bindings: Bindings,
  wholly = true,
): Bindings | undefined {
  const groups: string[] = [];
  let form = "^";
  if (shown !== "")
    for (const line of shown.split("\n").filter((text) => text.trim() !== ""))
      form += line.trimStart().startsWith("…") ? "(?:.*\\n)*?" : `${lineForm(line, groups)}[ \\t]*\\n`;
  const found = new RegExp(form + (wholly ? "$" : "")).exec(
    came
      // Commands print progress only if they take a while.
      .replace(/^\w[\w ]*: \d+%, .* left\n/gm, "")
      .replace(/^\s*\n/gm, "")
      .trimEnd()
      .replace(/.$/, "$&\n"),
  );
  if (found === null) return undefined;
  const bound = new Map(bindings);
  for (const [index, name] of groups.entries()) {
    const value = found[index + 1];
    const known = bound.get(name);
    if (known !== undefined && known !== value) return undefined;
    bound.set(name, value);
  }
  return bound;
}

/** Returns a command with the real values in place of the document's. */
export function withBindings(command: string, bindings: Bindings): string {
  return command.replace(new RegExp(OPAQUE, "g"), (shown) => bindings.get(shown) ?? shown);
}
