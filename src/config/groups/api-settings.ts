import { apiKeyFile } from "../kinds/api-key-list.ts";
import { booleanKind, host, keyHash, secret, text, whole } from "../kinds/kinds.ts";
import { optional, withDefault } from "./define-setting.ts";

/** More threads would only compete for CPU cores. */
const MAX_HTTP_THREADS = 16;

export const apiSettings = {
  enabled: withDefault("api", booleanKind, (network) => network.name !== "mainnet", {
    container: "ENABLE_REST_API",
    reference: "rest-api.enable",
    basic: true,
    about:
      "Serve the HTTP interface. If a variable such as LTO_ENABLE_REST_API enables it, the default of --api-host is 0.0.0.0, " +
      "except on `dev`",
    defaultText: "yes; no on mainnet",
    negated:
      "Do not serve the HTTP interface. On mainnet it is off by default. If a variable such as LTO_ENABLE_REST_API enables it, the default of --api-host is 0.0.0.0, except on `dev`",
  }),
  explorer: withDefault("explorer", booleanKind, true, {
    about: "Serve the explorer at `/explorer`; browsers are redirected there from `/`",
    negated: "Do not serve the explorer",
  }),
  host: withDefault("api-host", host, "127.0.0.1", {
    reference: "rest-api.bind-address",
    basic: true,
    about: "Address to listen on. On `dev`, loopback only",
  }),
  port: withDefault("api-port", whole(0, 65_535, "a port"), 6869, {
    plain: "PORT",
    reference: "rest-api.port",
    basic: true,
    about: "Port to listen on; 0: a free port, which is logged",
  }),
  apiKey: optional("api-key", secret(text("KEY")), {
    container: "API_KEY",
    basic: true,
    about:
      "API key of protected routes. Without a key, protected routes answer 403, except on `dev`, where they are open",
  }),
  apiKeyHash: optional("api-key-hash", keyHash, {
    container: "API_KEY_HASH",
    reference: "rest-api.api-key-hash",
    about: "Hash of the API key, to avoid storing the key: Base58 of SHA-256(BLAKE2b-256(key)). `-`: no key",
  }),
  apiKeys: optional("api-keys", apiKeyFile, {
    about:
      "File of named API keys with scopes, in addition to --api-key: a YAML list with `name`, `scopes` (`read`, " +
      "`wallet`, `admin`), `hash` and optionally `expires`. The node reads it again when it changes",
  }),
  authToken: optional("auth-token", secret(text("TOKEN")), {
    indexer: "AUTH_TOKEN",
    basic: true,
    about: "Token for `POST /hash` (`Authorization: bearer TOKEN`)",
  }),
  cors: withDefault("cors", booleanKind, true, {
    reference: "rest-api.cors",
    about: "Allow web pages of any origin to read the interface (CORS)",
    negated: "Do not allow web pages of other origins to read the interface",
  }),
  apiKeyDifferentHost: withDefault("api-key-different-host", booleanKind, false, {
    reference: "rest-api.api-key-different-host",
    about:
      "Allow web pages of other origins to use the API key: preflight responses allow the header `X-API-Key`, and key " +
      "routes accept such requests",
  }),
  threads: withDefault("http-threads", whole(1, MAX_HTTP_THREADS), 1, {
    about:
      "Threads that answer requests. All limits hold for the node as a whole. More than one helps if the HTTP thread's core is " +
      "always busy and other cores are idle",
  }),
  rateLimit: withDefault("rate-limit", whole(0, 1_000_000_000), 6_000, {
    about: "Requests per minute from one address, except loopback; more get status 429. 0: no limit",
  }),
} as const;
