/**
 * Adds everything that docs/develop.md explains how to add to one copy of the sources, compiles the copy once and uses
 * it. Each addition is a file in `additions/` with the number of files that it may touch.
 */
import { afterAll, describe, expect, test } from "vitest";
import { newControlMethod } from "./additions/new-control-method.ts";
import { newIndex } from "./additions/new-index.ts";
import { newRead } from "./additions/new-read.ts";
import { newType } from "./additions/new-type.ts";
import { type Addition, filesOf, SourceCopy } from "./additions/source-copy.ts";

const additions: readonly Addition[] = [newType, newIndex, newRead, newControlMethod];
const copy = new SourceCopy(additions);

afterAll(() => copy.remove());

test("the copy with all additions compiles", async () => {
  expect(await copy.compile()).toBe("");
});

describe.each(additions)("$what", (addition) => {
  test(`touches at most ${addition.maxFiles} files`, () => {
    expect(filesOf(addition).length).toBeLessThanOrEqual(addition.maxFiles);
  });

  addition.tests(copy);
});
