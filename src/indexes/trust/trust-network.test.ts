import { describe, expect, it } from "vitest";
import { parseTrustNetwork, TrustNetworkError } from "./trust-network.ts";

describe("the trust network of a configuration", () => {
  const roles = {
    root: { description: "The root", issues: [{ type: 100, role: "authority" }] },
    authority: { authorization: ["https://example.com/v1"], sponsored: true },
  };

  it("is read in written order", () => {
    const network = parseTrustNetwork(JSON.stringify(roles));
    expect([...network]).toEqual([
      [
        "root",
        {
          description: "The root",
          issues: [{ type: 100n, role: "authority" }],
          authorization: [],
          sponsored: false,
        },
      ],
      [
        "authority",
        { description: undefined, issues: [], authorization: ["https://example.com/v1"], sponsored: true },
      ],
    ]);
  });

  it("may be nested in `roles`, as in older configurations", () => {
    const older = { indexing: "all", roles };
    expect(parseTrustNetwork(JSON.stringify(older))).toEqual(parseTrustNetwork(JSON.stringify(roles)));
  });

  it("keeps association types that a double cannot hold", () => {
    const text = '{"root":{"issues":[{"type":9223372036854775807,"role":"root"}]}}';
    expect(parseTrustNetwork(text).get("root")?.issues).toEqual([{ type: 2n ** 63n - 1n, role: "root" }]);
  });

  it("may issue a role that it does not describe", () => {
    const text = '{"root":{"issues":[{"type":1,"role":"ghost"}]}}';
    expect(parseTrustNetwork(text).get("root")?.issues).toEqual([{ type: 1n, role: "ghost" }]);
  });

  it.each([
    ["invalid JSON", "{", /not valid JSON/],
    ["no object", "[]", /JSON object of roles/],
    ["a role that is no object", '{"root":1}', /'root' must be an object/],
    ["an unknown member", '{"root":{"x":1}}', /'x' of role 'root'/],
    ["a description that is no text", '{"root":{"description":1}}', /'description'/],
    ["a switch that is not true or false", '{"root":{"sponsored":"yes"}}', /'sponsored'/],
    ["an authorization that is no list", '{"root":{"authorization":"x"}}', /'authorization'/],
    ["an authorization that is no text", '{"root":{"authorization":[1]}}', /'authorization'/],
    ["issues that are no list", '{"root":{"issues":{}}}', /'issues'/],
    ["a type that is no integer", '{"root":{"issues":[{"type":1.5,"role":"a"}]}}', /'issues'/],
    ["a type beyond 64 bits", '{"root":{"issues":[{"type":9223372036854775808,"role":"a"}]}}', /'issues'/],
    ["an issue without role", '{"root":{"issues":[{"type":1}]}}', /'issues'/],
  ])("is refused with %s", (_, text, message) => {
    expect(() => parseTrustNetwork(text)).toThrow(TrustNetworkError);
    expect(() => parseTrustNetwork(text)).toThrow(message);
  });
});
