/** The HTTP interface: addresses and access. */

import { host, keyHash, secret, text, whole, yesNo } from "../kinds/kinds.ts";
import { optional, withDefault } from "./define-setting.ts";

export const apiSettings = {
  enabled: withDefault("api", yesNo, (network) => network.name !== "mainnet", {
    container: "ENABLE_REST_API",
    reference: "rest-api.enable",
    about:
      "Serve the HTTP interface. Switched on by ENABLE_REST_API, it listens on all addresses, except on `dev`, " +
      "unless --api-host says otherwise",
    defaultText: "yes; no on mainnet",
    negated:
      "Do not serve the HTTP interface. On mainnet it is not served unless --api says so. Switched on by ENABLE_REST_API, it listens on all addresses, except on `dev`, unless --api-host says otherwise",
  }),
  explorer: withDefault("explorer", yesNo, true, {
    about: "Serve the page that shows the chain, at `/explorer`; `/` leads browsers there",
    negated: "Do not serve the page that shows the chain",
  }),
  host: withDefault("api-host", host, "127.0.0.1", {
    reference: "rest-api.bind-address",
    about: "Address to listen on. On `dev`, loopback only",
  }),
  port: withDefault("api-port", whole(0, 65_535, "a port"), 6869, {
    plain: "PORT",
    reference: "rest-api.port",
    about: "Port to listen on; 0 takes a free one and the log says which",
  }),
  apiKey: optional("api-key", secret(text("KEY")), {
    container: "API_KEY",
    about:
      "Key that protected routes ask for. Without one they answer 403, except on `dev`, where they are open",
  }),
  apiKeyHash: optional("api-key-hash", keyHash, {
    container: "API_KEY_HASH",
    reference: "rest-api.api-key-hash",
    about:
      "The same as a hash, so that the key itself is not stored: Base58 of SHA-256(BLAKE2b-256(key)). `-` is none",
  }),
  authToken: optional("auth-token", secret(text("TOKEN")), {
    indexer: "AUTH_TOKEN",
    about: "Token that `POST /hash` asks for (`Authorization: bearer TOKEN`)",
  }),
  cors: withDefault("cors", yesNo, true, {
    reference: "rest-api.cors",
    about: "Let web pages of any origin read the interface",
    negated: "Do not let web pages of other origins read the interface",
  }),
  apiKeyDifferentHost: withDefault("api-key-different-host", yesNo, false, {
    reference: "rest-api.api-key-different-host",
    about:
      "Let web pages of other origins use the API key: pre-flight answers allow the header `X-API-Key`, and key " +
      "routes accept their requests",
  }),
  rateLimit: withDefault("rate-limit", whole(0, 1_000_000_000), 6_000, {
    about: "Requests a minute from one address; more are answered with 429. 0: no limit. Loopback has none",
  }),
} as const;
