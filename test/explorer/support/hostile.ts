/** Hostile texts that the tests put on the chain. */

/** Global function that a text would call if the page ran it. */
export const ALARM = "hostileRan";

export const MARKUP = `<img src=x onerror="${ALARM}('image')"><b>bold</b>`;
export const SCRIPT = `</script><script>${ALARM}('script')</script>`;
export const BREAK_OUT = `"'><svg onload=${ALARM}('svg')><style>*{display:none}</style>`;
export const SCRIPT_URL = `javascript:${ALARM}('url')`;
export const DATA_URL = `data:text/html,<script>${ALARM}('data')</script>`;
export const TEMPLATE = "{{constructor.constructor('alert(1)')()}} $\u007B7*7} %s %00";
/** A spreadsheet would read this as a link. */
export const FORMULA = '=HYPERLINK("https://evil.example","open")';
/** Reverses the direction: unescaped, this name ends with "txt.exe". */
export const BACKWARDS = "report\u202Eexe.txt\u2066\u200F";
/** Bell, new line, escape, zero and a lone continuation byte of a byte order mark. */
export const CONTROLS = "bell\u0007 line\n tab\t escape\u001b[31m zero\u0000 mark\uFEFF end";
/** 1,023 bytes without a line break. */
export const LONG_WORD = "W".repeat(1_023);
/** As many accents on one letter as fit. */
export const TOWER = `Z${"\u0301\u0322\u035F".repeat(160)}`;

/** Texts short enough for every field. */
export const shortTexts: readonly string[] = [
  MARKUP,
  SCRIPT,
  BREAK_OUT,
  SCRIPT_URL,
  DATA_URL,
  TEMPLATE,
  BACKWARDS,
  CONTROLS,
  FORMULA,
];

/** Keys that break careless code. */
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
