import { expect, test } from "vitest";
import { dev } from "../../profiles/index.ts";
import { logLevels } from "./log-level-kind.ts";

const read = (value: unknown) => logLevels.read(value, dev);

test("reads a level, then levels of areas", () => {
  expect(read("DEBUG")).toEqual({ level: "debug", areas: {} });
  expect(read("warn, peers=debug,api=off")).toEqual({ level: "warn", areas: { peers: "debug", api: "off" } });
  expect(read("sync=silent")).toEqual({ level: "info", areas: { sync: "off" } });
  expect(read(false)).toEqual({ level: "off", areas: {} });
  expect(logLevels.write(read("warn,peers=debug"))).toBe("warn,peers=debug");
});

test("refuses an unknown level or area, and names it", () => {
  expect(() => read("loud")).toThrow('got "loud"');
  expect(() => read("info,peers=loud")).toThrow('got "loud"');
  expect(() => read("info,piers=debug")).toThrow('unknown log area "piers"');
  expect(() => read("info,peers")).toThrow('got "peers"');
  expect(() => read("info,peers=debug=warn")).toThrow('got "peers=debug=warn"');
  expect(() => read(7)).toThrow("got 7");
});
