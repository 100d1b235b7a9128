import { describe, expect, test } from "vitest";
import { addressText } from "../crypto/addresses.ts";
import {
  customProfile,
  dev,
  devSettings,
  featureDescription,
  mainnet,
  ProfileError,
  parseDuration,
  testnet,
} from "./index.ts";

type Settings = {
  [name: string]: unknown;
  functionality: Record<string, unknown>;
  genesis: Record<string, unknown>;
};

/** Returns the settings of `dev` with a change, as text. */
function changed(change: (settings: Settings) => void): string {
  const settings: Settings = JSON.parse(devSettings);
  change(settings);
  return JSON.stringify(settings);
}

describe("built-in networks", () => {
  test("have addresses of their own network", () => {
    for (const { chainId, functionality, genesis } of [mainnet, testnet]) {
      for (const address of [
        ...functionality.burnAddresses,
        ...genesis.transactions.map((tx) => tx.recipient),
      ]) {
        expect(address).toHaveLength(26);
        expect(address[1]).toBe(chainId);
      }
    }
  });

  test("dev forges at once whatever the age of the last block", () => {
    expect(dev.forging).toEqual({
      microBlockIntervalMs: 100,
      minMicroBlockAgeMs: 0,
      maxTransactionsInMicroBlock: 255,
    });
    expect(dev.payment).toBe(true);
    expect(dev).toMatchObject({ rollbackDepth: 1_000_000, indexAll: true });
    expect(addressText(dev.genesis.transactions[0].recipient)).toBe("3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt");
  });

  test("public networks have the reference's defaults", () => {
    for (const { forging, rollbackDepth, indexAll } of [mainnet, testnet]) {
      expect(forging).toEqual({
        microBlockIntervalMs: 5_000,
        minMicroBlockAgeMs: 6_000,
        intervalAfterLastBlockMs: 2_592_000_000,
        maxTransactionsInMicroBlock: 255,
      });
      expect({ rollbackDepth, indexAll }).toEqual({ rollbackDepth: 2_000, indexAll: false });
    }
  });
});

describe("custom networks", () => {
  test("equal dev, except for forging, with its settings", () => {
    const custom = customProfile(devSettings);
    const { name: _, forging, ...rest } = custom;
    const { name: __, forging: ___, ...devRest } = dev;
    expect(rest).toEqual(devRest);
    expect(forging.microBlockIntervalMs).toBe(500);
    expect(forging.minMicroBlockAgeMs).toBe(0);
    expect(forging.intervalAfterLastBlockMs).toBe(2_592_000_000);
  });

  test("accept an object, null or an empty text for pre-activated features", () => {
    for (const none of [null, "", {}]) {
      const text = changed((settings) => {
        settings.functionality["pre-activated-features"] = none;
      });
      expect(customProfile(text).functionality.preActivatedFeatures.size).toBe(0);
    }
    expect(customProfile(devSettings).functionality.preActivatedFeatures.get(17)).toBe(0);
  });

  test("accept the height of lost releases", () => {
    const lost = (height?: unknown) => {
      const text = changed((settings) => {
        if (height !== undefined) settings.functionality["lost-release-height"] = height;
      });
      return customProfile(text).functionality.lostReleaseHeight;
    };
    expect(lost()).toBeUndefined();
    expect(lost(2_000)).toBe(2_000);
    expect(() => lost(0)).toThrow("functionality.lost-release-height must be a whole number from 1");
  });

  test("take the chain id from the first character, in 8 bits", () => {
    const chainId = (character: string) => {
      const text = changed((settings) => {
        settings["address-scheme-character"] = character;
        settings.genesis.transactions = [];
      });
      return customProfile(text).chainId;
    };
    expect(chainId("Test")).toBe(84);
    expect(chainId("ŁTO")).toBe(0x41);
    expect(chainId("é")).toBe(0xe9);
  });

  test.each<[string, (settings: Settings) => void]>([
    [
      "requirement failed: featureCheckBlocksPeriod must be greater than 0",
      (s) => {
        s.functionality["feature-check-blocks-period"] = 0;
      },
    ],
    [
      "requirement failed: blocksForFeatureActivation must be in range 1 to 1000",
      (s) => {
        s.functionality["blocks-for-feature-activation"] = 1001;
      },
    ],
    [
      "requirement failed: blocksForFeatureActivation must be in range 1 to 1000",
      (s) => {
        s.functionality["blocks-for-feature-activation"] = 0;
      },
    ],
    [
      "functionality.double-features-periods-after-height is missing",
      (s) => {
        delete s.functionality["double-features-periods-after-height"];
      },
    ],
    [
      "functionality.pre-activated-features is missing",
      (s) => {
        delete s.functionality["pre-activated-features"];
      },
    ],
    [
      "functionality.pre-activated-features.40000 must be a feature id",
      (s) => {
        s.functionality["pre-activated-features"] = { 40000: 0 };
      },
    ],
    [
      "functionality.fee-vote-blocks-period must be a whole number from 1 to 2147483647",
      (s) => {
        s.functionality["fee-vote-blocks-period"] = 0;
      },
    ],
    [
      "functionality.mining-reward must be a signed 64-bit integer",
      (s) => {
        s.functionality["mining-reward"] = 1.5;
      },
    ],
    [
      "functionality.burn-addresses[0] 'x' is not an address of this network: too short",
      (s) => {
        s.functionality["burn-addresses"] = ["x"];
      },
    ],
    [
      "genesis.block-timestamp is missing",
      (s) => {
        delete s.genesis["block-timestamp"];
      },
    ],
    [
      "genesis.average-block-delay: Invalid duration 'soon': use a number with ms, s, m, h or d",
      (s) => {
        s.genesis["average-block-delay"] = "soon";
      },
    ],
    [
      "genesis.average-block-delay: Invalid duration '1e+30': use a number with",
      (s) => {
        s.genesis["average-block-delay"] = 1e30;
      },
    ],
    [
      "genesis.average-block-delay must be above 0",
      (s) => {
        s.genesis["average-block-delay"] = 0;
      },
    ],
    [
      "genesis.initial-base-target must be at least 1",
      (s) => {
        s.genesis["initial-base-target"] = 0;
      },
    ],
    [
      "genesis.signature must be 64 bytes in Base58",
      (s) => {
        s.genesis.signature = "abc";
      },
    ],
    [
      "genesis.transactions[0].amount is missing",
      (s) => {
        s.genesis.transactions = [{ recipient: "3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt" }];
      },
    ],
    [
      "genesis.transactions: the amount -1 is negative",
      (s) => {
        s.genesis.transactions = [{ recipient: "3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt", amount: -1 }];
      },
    ],
    [
      "Data from other network",
      (s) => {
        s["address-scheme-character"] = "T";
      },
    ],
    [
      "address-scheme-character must not be empty",
      (s) => {
        s["address-scheme-character"] = "";
      },
    ],
    [
      "payment must be true or false",
      (s) => {
        s.payment = "yes";
      },
    ],
  ])("reject settings: %s", (message, change) => {
    expect(() => customProfile(changed(change))).toThrow(ProfileError);
    expect(() => customProfile(changed(change))).toThrow(message);
  });

  test("reject text that is not a JSON object", () => {
    expect(() => customProfile("{")).toThrow(ProfileError);
    expect(() => customProfile("[]")).toThrow("Network settings must be an object");
  });
});

describe("durations", () => {
  test.each([
    ["60s", 60_000],
    ["1 minute", 60_000],
    [" 2 h ", 7_200_000],
    ["30d", 2_592_000_000],
    ["1.5s", 1_500],
    ["1500", 1_500],
    ["999us", 0],
    ["2000000 nanos", 2],
    ["0", 0],
    ["-5 seconds", -5_000],
  ])("%s is %i ms", (text, milliseconds) => expect(parseDuration(text)).toBe(milliseconds));

  test.each(["", "s", "5 weeks", "5S", "1e3", "1 2s", "99999999999999999d"])("'%s' is rejected", (text) => {
    expect(() => parseDuration(text)).toThrow(ProfileError);
  });
});

test("a feature without a description is unknown", () => {
  expect(featureDescription(15)).toBe("Juicy (Tokenomics)");
  expect([1, 2, 99, -1].map(featureDescription)).toEqual(Array(4).fill("Unknown feature"));
});
