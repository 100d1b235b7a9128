import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { hasVectors, vectorsPath } from "../../test/vectors.ts";
import { encodeBase58 } from "../bytes/base58.ts";
import { customProfile, dev, mainnet, testnet } from "../profiles/index.ts";
import { isBlockSigned } from "./block.ts";
import { GenesisError } from "./errors.ts";
import { genesisBlock } from "./genesis.ts";

describe("genesis block", () => {
  test.each([
    [mainnet, "3xfb8SHvXK1eUT73kqq89Ayvt2w5ivy9CM2HHVYZ6H5zjgmbukadkFhis74vXsfak9YjwUCBMQUKsKmiRPmAWaB3"],
    [testnet, "47pP5r1Kh159XmxcfG2eQVj6dKNhub3mvGgpJovcw7EcZyJswFLYyKGYNV21BGJ8pwkajA75ZLMWFBdv3BzMRMk"],
    [dev, "53KvG3HPs4adaf5uurmqxiUr6TqWsm7hyumxXZHC55ocqmBgn36QTSBiVtmQCWrW9BSvWHRFxkBhajdJbq2PnhQn"],
  ])("has the known id on $name", (profile, id) => {
    const block = genesisBlock(profile);
    expect(encodeBase58(block.signature)).toBe(id);
    expect(isBlockSigned(block)).toBe(true);
  });

  test("is the same without a stated signature", () => {
    const { signature: _, ...genesis } = dev.genesis;
    expect(genesisBlock({ ...dev, genesis }).signature).toEqual(dev.genesis.signature);
  });

  test("is rejected with a wrong signature, naming the right one", () => {
    const { signature, ...genesis } = { ...dev.genesis, timestamp: 1n };
    const right = encodeBase58(genesisBlock({ ...dev, genesis }).signature);
    expect(() => genesisBlock({ ...dev, genesis: { ...genesis, signature } })).toThrow(
      new GenesisError(`Passed genesis signature is not valid. should be: ${right} `),
    );
  });

  test("is rejected with more recipients than a byte can count", () => {
    const transactions = Array.from({ length: 128 }, () => dev.genesis.transactions[0]);
    expect(() => genesisBlock({ ...dev, genesis: { ...dev.genesis, transactions } })).toThrow(GenesisError);
  });
});

const chains = hasVectors("chains")
  ? readdirSync(vectorsPath("chains")).filter((name) => hasVectors(`chains/${name}/genesis.json`))
  : [];

describe.skipIf(chains.length === 0)("parameters of the recorded chains", () => {
  test.each(chains)("%s states the signature of its genesis block", (name) => {
    const profile = customProfile(readFileSync(vectorsPath(`chains/${name}/genesis.json`), "utf8"));
    expect(profile.networkName).toBe("LTO");
    expect(profile.payment).toBe(false);
    expect(profile.genesis.signature).toBeDefined();
    expect(genesisBlock(profile).signature).toEqual(profile.genesis.signature);
    expect(profile.warnings).toHaveLength(profile.genesis.averageBlockDelaySeconds < 5 ? 1 : 0);
  });
});
