import { expect, test } from "vitest";
import { explainError } from "../cli/exit-codes.ts";
import { peersOptions } from "../peers/testing/peer-table.ts";
import { dev } from "../profiles/index.ts";
import { settingsOf } from "../testing/settings.ts";
import { budgetHandles, HandleLimitError, handleLimit, parseOpenFileLimit } from "./handles.ts";

const alone = settingsOf(dev, { api: { enabled: true }, peers: undefined });
const peers = peersOptions({ maxInbound: 30, maxOutbound: 20 });
const among = settingsOf(dev, { api: { enabled: true }, peers });

test("HTTP gets the remaining handles, up to the protocol's limit", () => {
  const ofMany = budgetHandles(65_536, among);
  expect(ofMany).toEqual({ connections: 1_024, warning: undefined });
  expect(budgetHandles(undefined, among)).toEqual(ofMany);
  const few = budgetHandles(400, alone).connections;
  expect(few).toBeGreaterThan(100);
  // 30 inbound, 20 outbound, 32 in progress.
  expect(few - budgetHandles(400, among).connections).toBe(82);
  expect(budgetHandles(401, alone).connections).toBe(few + 1);
});

test("few handles cause a warning, and too few an error", () => {
  const enough = 1_024 - budgetHandles(1_024, alone).connections + 256;
  expect(budgetHandles(enough, alone)).toEqual({ connections: 256, warning: undefined });
  expect(budgetHandles(enough - 1, alone).warning).toContain("leaves 255 for HTTP");
  const least = enough - 256 + 32;
  expect(budgetHandles(least, alone).connections).toBe(32);
  expect(() => budgetHandles(least - 1, alone)).toThrow(HandleLimitError);
  expect(budgetHandles(least - 32, { ...alone, api: { enabled: false, threads: 1 } })).toEqual({
    connections: 0,
    warning: undefined,
  });
  const { code, text } = explainError(new HandleLimitError(100, 130));
  expect({ code, lines: text.split("\n").length }).toEqual({ code: 8, lines: 1 });
});

test("the limit of this process is found, and parsed as Linux prints it", () => {
  expect(handleLimit()).toBeGreaterThan(0);
  const text =
    "Max processes             31000  31000  processes\nMax open files            1024                 4096                 files     \n";
  expect(parseOpenFileLimit(text)).toBe(1_024);
  expect(
    parseOpenFileLimit("Max open files            unlimited            unlimited            files"),
  ).toBeUndefined();
});
