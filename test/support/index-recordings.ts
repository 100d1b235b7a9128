/** Reads the recorded exchanges of the indexer: `index/`. Page 07. */
import type { ApiInfo } from "../../src/api/info.ts";
import { type JsonValue, printJson } from "../../src/bytes/json.ts";
import { parseAddress } from "../../src/crypto/addresses.ts";
import {
  defaultTrustNetwork,
  parseTrustNetwork,
  type TrustNetwork,
} from "../../src/indexes/trust/trust-network.ts";
import { testnet } from "../../src/profiles/index.ts";
import type { ExactRequest } from "../replay/http-exchange.ts";
import { expectKnown, loadVectorsJson } from "../vectors.ts";
import { type JsonObject, list, modeOf, number, object, ROOT } from "./index-vectors.ts";
import type { RecordedIndexOptions } from "./recorded-index.ts";

const CONFIG_MEMBERS = [
  "association",
  "anchor",
  "did",
  "credentialStatus",
  "credentialDisputes",
  "transactions",
  "statistics",
  "generators",
  "authToken",
  "defaultResponse",
  "prefix",
  "batch",
  "trustNetwork",
  "nodeWallet",
  "storage",
  "release",
];
/** Number of blocks over which a recording counts generators, according to its description; 0 if it does not. */
function generatorWindow(description: JsonValue | undefined): number {
  return Number(/generators with a window of (\d+) blocks/.exec(String(description))?.[1] ?? 0);
}

export function recordedTrust(config: JsonObject): TrustNetwork {
  const network = config.get("trustNetwork");
  return network === undefined ? defaultTrustNetwork : parseTrustNetwork(printJson(network));
}

export function recordedSettings(
  config: JsonObject,
  description: JsonValue | undefined,
): RecordedIndexOptions {
  expectKnown(config.keys(), CONFIG_MEMBERS, "config");
  const didResponse = config.get("defaultResponse") ?? "document";
  if (didResponse !== "document" && didResponse !== "resolution") throw new Error("unknown default response");
  return {
    trust: {
      network: recordedTrust(config),
      root: parseAddress(String(config.get("nodeWallet") ?? ROOT), testnet.chainId),
    },
    anchors: modeOf(config.get("anchor")),
    associations: modeOf(config.get("association")),
    credentials: modeOf(config.get("credentialStatus")),
    disputes: modeOf(config.get("credentialDisputes")),
    statistics: config.get("statistics") === true,
    generators: generatorWindow(description),
    authToken: String(config.get("authToken") ?? "") || undefined,
    didResponse,
    info: prefixOf(config),
  };
}

function prefixOf(config: JsonObject): Partial<ApiInfo> {
  const prefix = config.get("prefix");
  return prefix === undefined || prefix === "" ? {} : { prefix: `/${String(prefix)}` };
}

export function recordedRequest(json: JsonObject): ExactRequest {
  expectKnown(json.keys(), ["method", "path", "headers", "body", "bodyParts"], String(json.get("path")));
  const parts = json.get("bodyParts");
  let body = json.get("body");
  if (parts !== undefined) {
    const { head, repeat, times, tail } = Object.fromEntries(object(parts));
    body = String(head) + String(repeat).repeat(number(times)) + String(tail);
  }
  return {
    method: String(json.get("method")),
    path: String(json.get("path")),
    headers: Object.fromEntries(
      [...object(json.get("headers") ?? new Map())].map(([name, value]) => [name, String(value)]),
    ),
    body: body === undefined ? undefined : Buffer.from(typeof body === "string" ? body : printJson(body)),
  };
}

export function exchangesOf(name: string): readonly JsonObject[] {
  return list(object(loadVectorsJson(`index/${name}.json`)).get("exchanges")).map(object);
}
