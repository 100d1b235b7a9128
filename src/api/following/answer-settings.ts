import type { JsonOut } from "../../bytes/json.ts";

/** Settings that change answers: a follower adopts its source's. */
export const ANSWER_SETTINGS = [
  "rollback-depth",
  "trust-network",
  "index-anchors",
  "index-associations",
  "index-identities",
  "index-transactions",
  "index-credentials",
  "index-disputes",
  "index-statistics",
  "index-generators",
  "generator-window",
  "locked-supply",
  "index-all-transactions",
  "did-default-response",
] as const;

export type AnswerSetting = (typeof ANSWER_SETTINGS)[number];

/** Returns the settings' texts: words and numbers as in a settings file, objects as JSON. */
export function answerSettingTexts(shown: JsonOut): Readonly<Record<AnswerSetting, string>> {
  const values = shown as Readonly<Record<string, JsonOut>>;
  return Object.fromEntries(
    ANSWER_SETTINGS.map((name) => {
      const value = values[name];
      return [name, typeof value === "string" ? value : JSON.stringify(value)];
    }),
  ) as Record<AnswerSetting, string>;
}
