import { readFileSync } from "node:fs";

export function packageVersion(): string {
  // Works from src/node and dist/node.
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}

export const versionText = (): string => `Holdfast v${packageVersion()}`;
