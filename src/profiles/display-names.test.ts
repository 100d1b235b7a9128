import { describe, expect, test } from "vitest";
import { addressText } from "../crypto/addresses.ts";
import { customProfile, devSettings, mainnet, ProfileError, testnet } from "./index.ts";

function profileWith(members: Readonly<Record<string, unknown>>) {
  return customProfile(JSON.stringify({ ...JSON.parse(devSettings), ...members }));
}

const unnamed = { "display-name": undefined };

describe("names for people", () => {
  test("come from the genesis file", () => {
    const { displayName, tokenSymbol } = profileWith({
      "display-name": "Harbour (test)",
      "token-symbol": "€HBR",
    });
    expect({ displayName, tokenSymbol }).toEqual({ displayName: "Harbour (test)", tokenSymbol: "€HBR" });
  });

  test("are the network's name by default", () => {
    expect(profileWith({ ...unnamed, name: "DEMO" })).toMatchObject({
      displayName: "DEMO",
      tokenSymbol: "DEMO",
    });
    expect([mainnet, testnet].map(({ tokenSymbol }) => tokenSymbol)).toEqual(["LTO", "LTO"]);
  });

  test("are neutral if the network's name is too long or has other characters", () => {
    expect(profileWith({ ...unnamed, name: "A network's long name" })).toMatchObject({
      networkName: "A network's long name",
      displayName: "Custom network",
      tokenSymbol: "tokens",
    });
  });

  test("of accounts come from the genesis file and the profile", () => {
    const address = "3JrGV6TeEV3ovVjsh9SPqQL48EDLET47B9U";
    expect(mainnet.accountNames).toEqual({ [address]: "Burn address" });
    const [{ recipient }] = profileWith({}).genesis.transactions;
    const own = addressText(recipient);
    expect(profileWith({}).accountNames).toEqual({});
    expect(profileWith({ "account-names": { [own]: "Reserve" } }).accountNames).toEqual({ [own]: "Reserve" });
    const refused = [
      { [own]: "<b>" },
      { [own]: "x".repeat(41) },
      { [own]: 5 },
      { [address]: "Other network" },
      [own],
    ];
    for (const names of refused)
      expect(() => profileWith({ "account-names": names }), JSON.stringify(names)).toThrow(/^account-names/);
  });

  test("do not change the genesis block", () => {
    const { genesis } = profileWith({ "display-name": "Other", "token-symbol": "OTH" });
    expect(genesis).toEqual(profileWith({}).genesis);
  });

  test.each([
    ["token-symbol", ""],
    ["token-symbol", "LONGERTHAN12X"],
    ["token-symbol", "<b>"],
    ["token-symbol", "A B"],
    ["token-symbol", "A\u202eB"],
    ["display-name", ""],
    ["display-name", " LTO"],
    ["display-name", "x".repeat(41)],
    ["display-name", "a\nb"],
    ["display-name", "<script>"],
    ["display-name", "a\u200bb"],
  ])("%s %j is refused", (member, text) => {
    expect(() => profileWith({ [member]: text })).toThrow(ProfileError);
    expect(() => profileWith({ [member]: text })).toThrow(`${member} must be`);
  });
});
