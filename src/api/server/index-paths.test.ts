import { describe, expect, it } from "vitest";
import { routes } from "../routes/all.ts";
import { indexCaseNormalizer } from "./index-paths.ts";

describe("paths of the indexer", () => {
  const written = indexCaseNormalizer(routes);

  it.each([
    ["/HASH/AbCd", "/hash/AbCd"],
    ["/Hash/AbCd/Encoding/HEX/?X=Y", "/hash/AbCd/encoding/HEX/?X=Y"],
    ["/INDEX/Trust/3Nx", "/index/trust/3Nx"],
    ["/Transactions/ADDRESSES/3Nx?type=Data", "/transactions/addresses/3Nx?type=Data"],
    ["/IDENTITIES/DID:LTO:3Nx/DERIVED/62K", "/identities/DID:LTO:3Nx/derived/62K"],
  ])("%s becomes %s", (url, path) => {
    expect(written(url)).toBe(path);
  });

  it.each([
    // Routes of the node are case-sensitive.
    "/Blocks/Height",
    "/TRANSACTIONS/INFO/3Nx",
    "/associations/Status/3Nx",
    "/transactions/Address/3Nx",
    // Unknown paths.
    "/Hashes/ab",
    "/HASH/a/b/c/d",
    "/",
    "",
    "//HASH/ab",
    "*",
  ])("%s is unchanged", (url) => {
    expect(written(url)).toBe(url);
  });
});
