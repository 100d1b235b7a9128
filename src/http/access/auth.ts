/** Page 06 §3, page 07 §3.5. */
import { timingSafeEqual } from "node:crypto";
import { encodeUtf8 } from "../../bytes/utf8.ts";
import { secureHash } from "../../crypto/hashes.ts";
import { type ApiFailure, expiredKey, failures, missingScope } from "../errors.ts";
import { type Headers, header, type RequestHead } from "../requests/headers.ts";
import type { HttpSettings } from "../settings.ts";
import type { NamedKey, NamedKeys, Scope } from "./named-keys.ts";
import { SCOPES } from "./named-keys.ts";
import { isForwarded } from "./proxies.ts";

/** `Bearer <token68>`, with any number of spaces and tabs around the token. */
const BEARER = /^bearer[ \t]*([A-Za-z0-9._~+/-]+=*)[ \t]*$/i;

function matchesHash(text: string, hash: Uint8Array): boolean {
  return timingSafeEqual(secureHash(encodeUtf8(text)), hash);
}

function apiKeysOf(headers: Headers): string[] {
  const bearer = BEARER.exec(header(headers, "authorization") ?? "")?.[1] ?? "";
  // Node reads headers as Latin-1; clients write UTF-8.
  const key = Buffer.from(header(headers, "x-api-key") ?? "", "latin1")
    .toString("utf8")
    .trim();
  return [bearer, key].filter((text) => text !== "");
}

const LOOPBACK_NAME = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i;

function isLoopbackHost(host: string): boolean {
  return LOOPBACK_NAME.test(host.replace(/:\d*$/, ""));
}

function isFromForeignSite(headers: Headers): boolean {
  // Browsers send this header also for embedded resources, for which they may omit `Origin`.
  const site = header(headers, "sec-fetch-site")?.toLowerCase() ?? "none";
  return site !== "none" && site !== "same-origin";
}

/**
 * Returns undefined for local programs and the node's own pages, unless the request came through a proxy. Checking
 * `Host` prevents DNS rebinding; checking `Origin` and `Sec-Fetch-Site` refuses other sites. Page 00, part B, 5.
 */
function foreignCallerFailure(request: RequestHead, settings: HttpSettings): ApiFailure | undefined {
  const { headers } = request;
  if (isForwarded(request, settings)) return failures.viaProxy;
  const host = header(headers, "host") ?? "";
  if (!isLoopbackHost(host)) return failures.foreignHost;
  if (isFromForeignSite(headers)) return failures.foreignOrigin;
  const origin = header(headers, "origin");
  if (origin === undefined) return undefined;
  const ownOrigin = `http://${host.toLowerCase()}`;
  return origin.toLowerCase() === ownOrigin ? undefined : failures.foreignOrigin;
}

/** Pages of other sites could guess keys. */
export function isFromForeignPage({ headers }: RequestHead): boolean {
  if (isFromForeignSite(headers)) return true;
  const origin = header(headers, "origin")?.toLowerCase();
  if (origin === undefined || header(headers, "sec-fetch-site")?.toLowerCase() === "same-origin")
    return false;
  const host = (header(headers, "host") ?? "").toLowerCase();
  return origin !== `http://${host}` && origin !== `https://${host}`;
}

/** Reserved name of the protocol's single key, for the audit log. */
export const MAIN_KEY_NAME = "api-key";

export interface KeyCheck {
  /** Undefined if the request may use the route. */
  readonly failure?: ApiFailure | undefined;
  /** The valid key's name, for the audit log. */
  readonly key?: string | undefined;
  /** True if the request has keys, but none that is configured. */
  readonly isGuess: boolean;
}

export function hasApiKeys(settings: HttpSettings, named: NamedKeys): boolean {
  return settings.apiKeyHash !== undefined || named.current !== undefined;
}

/** The protocol's single key has all scopes. */
function configuredKeys(settings: HttpSettings, named: NamedKeys): readonly NamedKey[] {
  const keys = named.current ?? [];
  return settings.apiKeyHash === undefined
    ? keys
    : [{ name: MAIN_KEY_NAME, scopes: SCOPES, hash: settings.apiKeyHash }, ...keys];
}

/** @param now ms since 1970 */
export function checkKey(
  request: RequestHead,
  settings: HttpSettings,
  scope: Scope,
  named: NamedKeys,
  now: number,
): KeyCheck {
  if (!hasApiKeys(settings, named)) {
    const failure = settings.hasOpenKeyRoutes
      ? foreignCallerFailure(request, settings)
      : failures.apiKeyNotValid;
    return { failure, isGuess: false };
  }
  // Check the page first: a foreign page must not learn if its key is valid.
  if (!settings.apiKeyDifferentHost && isFromForeignPage(request))
    return { failure: failures.foreignOrigin, isGuess: false };
  const givenKeys = apiKeysOf(request.headers);
  const keys = configuredKeys(settings, named);
  // Compare all keys, so that the response time reveals nothing.
  const matches = givenKeys.flatMap((text) => {
    const hash = secureHash(encodeUtf8(text));
    return keys.filter((key) => timingSafeEqual(hash, key.hash));
  });
  const valid = matches.filter(({ expiresAt }) => expiresAt === undefined || now < expiresAt);
  const allowed = valid.find(({ scopes }) => scopes.includes(scope));
  if (allowed !== undefined) return { key: allowed.name, isGuess: false };
  if (valid.length > 0) return { failure: missingScope(scope), key: valid[0].name, isGuess: false };
  if (matches.length > 0) return { failure: expiredKey(matches[0].name), isGuess: false };
  return { failure: failures.apiKeyNotValid, isGuess: givenKeys.length > 0 };
}

const UNAUTHORIZED: ApiFailure = { status: 401, body: { message: "Unauthorized", statusCode: 401 } };

/**
 * Checks the token of `POST /hash`, which must be in exactly one place: `Authorization: bearer <token>`, or
 * `access_token` in the body or the query.
 */
export function tokenFailure(
  request: RequestHead,
  settings: HttpSettings,
  bodyToken: string | undefined,
  queryToken: string | undefined,
): ApiFailure | undefined {
  if (!settings.authToken) return foreignCallerFailure(request, settings);
  const { headers } = request;
  const authorization = Buffer.from(header(headers, "authorization") ?? "", "latin1").toString("utf8");
  const parts = authorization.split(" ");
  const headerToken = parts.length === 2 && parts[0].toLowerCase() === "bearer" ? parts[1] : undefined;
  const tokens = [headerToken, bodyToken, queryToken].filter((token) => token !== undefined);
  if (tokens.length !== 1) return UNAUTHORIZED;
  return matchesHash(tokens[0], secureHash(encodeUtf8(settings.authToken))) ? undefined : UNAUTHORIZED;
}
