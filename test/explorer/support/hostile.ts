/** Texts that somebody puts on a chain to see what a page does with them. */

/** Called in the page by whatever of them is run; nothing may call it. */
export const ALARM = "hostileRan";

export const MARKUP = `<img src=x onerror="${ALARM}('image')"><b>bold</b>`;
export const SCRIPT = `</script><script>${ALARM}('script')</script>`;
export const BREAK_OUT = `"'><svg onload=${ALARM}('svg')><style>*{display:none}</style>`;
export const SCRIPT_URL = `javascript:${ALARM}('url')`;
export const DATA_URL = `data:text/html,<script>${ALARM}('data')</script>`;
export const TEMPLATE = "{{constructor.constructor('alert(1)')()}} $\u007B7*7} %s %00";
/** Turns the direction of what follows: shown as it is, this name ends with "txt.exe". */
export const BACKWARDS = "report\u202Eexe.txt\u2066\u200F";
/** A bell, a new line, a terminal's escape, a zero and a lone continuation of a byte order mark. */
export const CONTROLS = "bell\u0007 line\n tab\t escape\u001b[31m zero\u0000 mark\uFEFF end";
/** One word of 1,023 bytes that no line break divides. */
export const LONG_WORD = "W".repeat(1_023);
/** As many accents on one letter as fit. */
export const TOWER = `Z${"\u0301\u0322\u035F".repeat(160)}`;

/** All that are short enough for every place that a text can stand in. */
export const shortTexts: readonly string[] = [
  MARKUP,
  SCRIPT,
  BREAK_OUT,
  SCRIPT_URL,
  DATA_URL,
  TEMPLATE,
  BACKWARDS,
  CONTROLS,
];

/** Keys of data entries that code may stumble upon. */
export const keys: readonly string[] = [
  ...shortTexts.map((text) => text.slice(0, 100)),
  "__proto__",
  "constructor",
  "toString",
  "../../node/status?x=1#y",
  "%2F%00",
  " ",
  "K".repeat(100),
];
