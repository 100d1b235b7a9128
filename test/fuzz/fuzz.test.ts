/** Runs the first inputs of `npm run fuzz:network`. */
import { expect, test } from "vitest";
import { messageDefinitions } from "../../src/peers/wire/message-definitions.ts";
import { loadCorpus } from "./corpus.ts";
import { fuzz } from "./fuzz.ts";

const corpus = loadCorpus();

test.skipIf(corpus === undefined)(
  "a node and its honest peers withstand mutated messages of all kinds",
  async () => {
    if (corpus === undefined) return;
    const { byKind, answers, turnedAway, taken } = await fuzz({ corpus, seed: 1, inputs: 3_000 });
    expect([...byKind.keys()].sort()).toEqual([...Object.keys(messageDefinitions), "Handshake"].sort());
    expect(answers).toBeGreaterThan(20);
    expect(turnedAway).toBeGreaterThan(100);
    expect(taken).toBeGreaterThan(0);
  },
);
