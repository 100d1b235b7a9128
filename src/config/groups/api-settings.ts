/** The HTTP interface: where it listens, who may do what there. */

import { host, keyHash, secret, text, whole, yesNo } from "../kinds/kinds.ts";
import { always, maybe } from "./define-setting.ts";

export const apiSettings = {
  api: always(
    {
      name: "api",
      group: "api",
      container: "ENABLE_REST_API",
      reference: "rest-api.enable",
      about:
        "Serve the HTTP interface. Switched on by ENABLE_REST_API, it listens on all addresses, except on `dev`, " +
        "unless --api-host says otherwise",
      standardText: "yes; no on mainnet",
      on: true,
      negated:
        "Do not serve the HTTP interface. On mainnet it is not served unless --api says so. Switched on by ENABLE_REST_API, it listens on all addresses, except on `dev`, unless --api-host says otherwise",
    },
    yesNo,
    (network) => network.name !== "mainnet",
  ),
  explorer: always(
    {
      name: "explorer",
      group: "api",
      about: "Serve the page that shows the chain, at `/explorer`; `/` leads browsers there",
      on: true,
      negated: "Do not serve the page that shows the chain",
    },
    yesNo,
    true,
  ),
  apiHost: always(
    {
      name: "api-host",
      group: "api",
      reference: "rest-api.bind-address",
      about: "Address to listen on. On `dev`, loopback only",
    },
    host,
    "127.0.0.1",
  ),
  apiPort: always(
    {
      name: "api-port",
      group: "api",
      plain: "PORT",
      reference: "rest-api.port",
      about: "Port to listen on; 0 takes a free one and the log says which",
    },
    whole(0, 65_535, "a port"),
    6869,
  ),
  apiKey: maybe(
    {
      name: "api-key",
      group: "api",
      container: "API_KEY",
      about:
        "Key that protected routes ask for. Without one they answer 403, except on `dev`, where they are open",
    },
    secret(text("KEY")),
  ),
  apiKeyHash: maybe(
    {
      name: "api-key-hash",
      group: "api",
      container: "API_KEY_HASH",
      reference: "rest-api.api-key-hash",
      about:
        "The same as a hash, so that the key itself is not stored: Base58 of SHA-256(BLAKE2b-256(key)). `-` is none",
    },
    keyHash,
  ),
  authToken: maybe(
    {
      name: "auth-token",
      group: "api",
      container: "AUTH_TOKEN",
      plain: "AUTH_TOKEN",
      about: "Token that `POST /hash` asks for (`Authorization: bearer TOKEN`)",
    },
    secret(text("TOKEN")),
  ),
  cors: always(
    {
      name: "cors",
      group: "api",
      reference: "rest-api.cors",
      about: "Let web pages of any origin read the interface",
      on: true,
      negated: "Do not let web pages of other origins read the interface",
    },
    yesNo,
    true,
  ),
  apiKeyDifferentHost: always(
    {
      name: "api-key-different-host",
      group: "api",
      reference: "rest-api.api-key-different-host",
      about:
        "Let web pages of other origins use the API key: pre-flight answers allow the header `X-API-Key`, and key " +
        "routes accept their requests",
    },
    yesNo,
    false,
  ),
  rateLimit: always(
    {
      name: "rate-limit",
      group: "api",
      about: "Requests a minute from one address; more are answered with 429. 0: no limit. Loopback has none",
    },
    whole(0, 1_000_000_000),
    6_000,
  ),
} as const;
