/** The first inputs of what `npm run fuzz:network` runs. */
import { expect, test } from "vitest";
import { messageDefinitions } from "../../src/peers/wire/message-definitions.ts";
import { loadCorpus } from "./corpus.ts";
import { fuzz } from "./fuzz.ts";

const corpus = loadCorpus();

test.skipIf(corpus === undefined)(
  "mutated messages of all kinds hurt neither a node nor its peers",
  async () => {
    if (corpus === undefined) return;
    const { byKind, answers, turnedAway, taken } = await fuzz({ corpus, seed: 1, inputs: 3_000 });
    expect([...byKind.keys()].sort()).toEqual([...Object.keys(messageDefinitions), "Handshake"].sort());
    expect(answers).toBeGreaterThan(20);
    expect(turnedAway).toBeGreaterThan(100);
    expect(taken).toBeGreaterThan(0);
  },
);
