/** Checks the API key, the token of `POST /hash`, and callers of key routes that need no key. Page 06 §3, 07 §3.5. */
import { timingSafeEqual } from "node:crypto";
import { encodeUtf8 } from "../../bytes/utf8.ts";
import { secureHash } from "../../crypto/hashes.ts";
import { type ApiFailure, failures } from "../errors.ts";
import { type Headers, header, type RequestHead } from "../requests/headers.ts";
import type { HttpSettings } from "../settings.ts";
import { isForwarded } from "./proxies.ts";

/** Matches `Bearer <token68>`, with any number of blanks (even none) before and after the token. Page 06 §3. */
const BEARER = /^bearer[ \t]*([A-Za-z0-9._~+/-]+=*)[ \t]*$/i;

function hasHash(text: string, hash: Uint8Array): boolean {
  return timingSafeEqual(secureHash(encodeUtf8(text)), hash);
}

/** Returns the non-empty keys, at most one from each header. */
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
  // Browsers send no `Origin` for embedded resources such as images.
  const site = header(headers, "sec-fetch-site")?.toLowerCase() ?? "none";
  return site !== "none" && site !== "same-origin";
}

/**
 * Checks a caller without a key: only programs on this machine and the node's own pages, never through a proxy.
 * Checking `Host` stops DNS rebinding; checking `Origin` and `Sec-Fetch-Site` stops other sites. Page 00, part B, 5.
 */
function foreignCallerFailure(request: RequestHead, info: HttpSettings): ApiFailure | undefined {
  const { headers } = request;
  if (isForwarded(request, info)) return failures.viaProxy;
  const host = header(headers, "host") ?? "";
  if (!isLoopbackHost(host)) return failures.foreignHost;
  if (isFromForeignSite(headers)) return failures.foreignOrigin;
  const origin = header(headers, "origin");
  if (origin === undefined) return undefined;
  const ownOrigin = `http://${host.toLowerCase()}`;
  return origin.toLowerCase() === ownOrigin ? undefined : failures.foreignOrigin;
}

/**
 * Such a page may be guessing keys. `Sec-Fetch-Site: same-origin` overrides comparing `Origin` with `Host`, which TLS
 * proxies may change.
 */
function isFromForeignPage({ headers }: RequestHead): boolean {
  if (isFromForeignSite(headers)) return true;
  const origin = header(headers, "origin")?.toLowerCase();
  if (origin === undefined || header(headers, "sec-fetch-site")?.toLowerCase() === "same-origin")
    return false;
  const host = (header(headers, "host") ?? "").toLowerCase();
  return origin !== `http://${host}` && origin !== `https://${host}`;
}

/** Returns undefined if the request may use key routes. Page 06 §3. */
export function keyFailure(request: RequestHead, info: HttpSettings): ApiFailure | undefined {
  const { apiKeyHash, apiKeyDifferentHost } = info;
  if (apiKeyHash !== undefined) {
    // This check comes first: a foreign page must not learn whether its key was right.
    if (!apiKeyDifferentHost && isFromForeignPage(request)) return failures.foreignOrigin;
    const isRight = apiKeysOf(request.headers).some((key) => hasHash(key, apiKeyHash));
    return isRight ? undefined : failures.apiKeyNotValid;
  }
  return info.openKeyRoutes ? foreignCallerFailure(request, info) : failures.apiKeyNotValid;
}

export function isGuess({ headers }: RequestHead, info: HttpSettings, failure: ApiFailure): boolean {
  return (
    failure === failures.apiKeyNotValid && info.apiKeyHash !== undefined && apiKeysOf(headers).length > 0
  );
}

const UNAUTHORIZED: ApiFailure = { status: 401, body: { message: "Unauthorized", statusCode: 401 } };

/**
 * Returns undefined if the request may anchor. The token must be in exactly one place: the header
 * `Authorization: bearer <token>`, the body member `access_token` or the query parameter `access_token`. Page 07 §3.5.
 */
export function tokenFailure(
  request: RequestHead,
  info: HttpSettings,
  fromBody: string | undefined,
  fromQuery: string | undefined,
): ApiFailure | undefined {
  if (!info.authToken) return foreignCallerFailure(request, info);
  const { headers } = request;
  const authorization = Buffer.from(header(headers, "authorization") ?? "", "latin1").toString("utf8");
  const parts = authorization.split(" ");
  const fromHeader = parts.length === 2 && parts[0].toLowerCase() === "bearer" ? parts[1] : undefined;
  const tokens = [fromHeader, fromBody, fromQuery].filter((token) => token !== undefined);
  if (tokens.length !== 1) return UNAUTHORIZED;
  return hasHash(tokens[0], secureHash(encodeUtf8(info.authToken))) ? undefined : UNAUTHORIZED;
}
