/** Page 06 §7.12, page 04 §22. */
import Type from "typebox";
import type { JsonOut } from "../../../bytes/json.ts";
import type { ConnectedPeerInfo } from "../../../control/index.ts";
import { type MemberReader, readMembers } from "../../members.ts";
import { type Call, get, post, routesOf, unwrap } from "../../route.ts";
import { int64, object, Timestamp } from "../../schemas/common.ts";
import { javaAddress, javaHost } from "./java-address.ts";

/** Page 04 §3. */
const MAX_PEERS = 1_000;
const MAX_PORT = 65_535;
export const MAX_HOST_LENGTH = 253;

const PeerAddressText = Type.String({
  description: "`/ip:port`, or `name:port` for a peer configured by name.",
  examples: ["/203.0.113.7:6868"],
});
const HostText = Type.String({ description: "`/ip`, or a host name.", examples: ["/203.0.113.7"] });

const BanHost = Type.String({
  description: "IP address, host name, or the `/64` network of an IPv6 address.",
  maxLength: MAX_HOST_LENGTH,
});
const Origins = Type.Array(Type.String(), {
  description: "IPv4 addresses and `/64` networks of IPv6 addresses.",
  examples: [["203.0.113.7"]],
});

export const peerMembers = {
  address: PeerAddressText,
  declaredAddress: Type.String({ description: "Address that the peer declares; `N/A` if it declares none." }),
  peerName: Type.String({ description: "Chosen by the peer: escape it for display." }),
  applicationName: Type.String({ description: "`lto` followed by the chain id." }),
  applicationVersion: Type.String({ examples: ["1.8.0"] }),
};

export function peerJson(peer: ConnectedPeerInfo, nonce: { readonly peerNonce?: bigint } = {}) {
  return {
    address: javaAddress(peer),
    declaredAddress: peer.declaredAddress === undefined ? "N/A" : javaAddress(peer.declaredAddress),
    peerName: peer.name,
    ...nonce,
    applicationName: peer.applicationName,
    applicationVersion: peer.version.join("."),
  };
}

const MAX_REASON_LENGTH = 200;
const DEFAULT_REASON = "Banned by the operator";

function readHost(body: MemberReader): string {
  const host = body.text("host") ?? "";
  if (host.length > MAX_HOST_LENGTH) body.refuse("host", "error.maxLength", [String(MAX_HOST_LENGTH)]);
  return host;
}

async function ban(call: Call): Promise<JsonOut> {
  const { host, reason } = readMembers(call.json(), (body) => {
    const reason = body.has("reason") ? (body.text("reason") ?? "") : DEFAULT_REASON;
    if (reason.length > MAX_REASON_LENGTH)
      body.refuse("reason", "error.maxLength", [String(MAX_REASON_LENGTH)]);
    return { host: readHost(body), reason };
  });
  const { origins, durationMs } = unwrap(await call.api.control.peers.banHost(host, reason));
  return { banned: origins, seconds: Math.ceil(durationMs / 1_000) };
}

async function unban(call: Call): Promise<JsonOut> {
  const host = readMembers(call.json(), readHost);
  return { unbanned: unwrap(await call.api.control.peers.unbanHost(host)) };
}

async function connect(call: Call): Promise<JsonOut> {
  const peer = readMembers(call.json(), (body) => {
    const host = readHost(body);
    const port = body.int32("port") ?? 0;
    if (port < 0) body.refuse("port", "error.min", ["0"]);
    if (port > MAX_PORT) body.refuse("port", "error.max", [String(MAX_PORT)]);
    return { host, port };
  });
  unwrap(await call.api.control.peers.connect(peer));
  return { hostname: peer.host, status: "Trying to connect" };
}

export const peerRoutes = routesOf("peers", [
  get("/peers/all", {
    onFollower: "source",
    summary: "Known peers that are not banned, at most 1000",
    answers: {
      ok: object({
        peers: Type.Array(
          object({
            address: PeerAddressText,
            lastSeen: int64("Time of last use, ms; 9223372036854775807 for a configured peer."),
          }),
        ),
      }),
    },
    handle: async ({ api }) => ({
      peers: (await api.control.peers.known(MAX_PEERS)).map((peer) => ({
        address: javaAddress(peer),
        lastSeen: peer.lastSeen,
      })),
    }),
  }),
  get("/peers/connected", {
    onFollower: "source",
    summary: "Connected peers and their handshakes",
    answers: {
      ok: object({
        peers: Type.Array(
          object({
            ...peerMembers,
            peerNonce: int64("Node nonce: distinguishes nodes on the same IP address."),
          }),
        ),
      }),
    },
    handle: async ({ api }) => ({
      peers: (await api.control.peers.connected()).map((peer) => peerJson(peer, { peerNonce: peer.nonce })),
    }),
  }),
  get("/peers/blacklisted", {
    onFollower: "source",
    summary: "Banned hosts and reasons, at most 1000",
    answers: { ok: Type.Array(object({ hostname: HostText, timestamp: Timestamp, reason: Type.String() })) },
    handle: async ({ api }) =>
      (await api.control.peers.banned(MAX_PEERS)).map(({ host, since, reason }) => ({
        hostname: javaHost(host),
        timestamp: Math.floor(since),
        reason,
      })),
  }),
  get("/peers/suspended", {
    onFollower: "source",
    summary: "Suspended hosts, which are not dialled for a while, at most 1000",
    answers: { ok: Type.Array(object({ hostname: HostText, timestamp: Timestamp })) },
    handle: async ({ api }) =>
      (await api.control.peers.suspended(MAX_PEERS)).map(({ host, since }) => ({
        hostname: javaHost(host),
        timestamp: Math.floor(since),
      })),
  }),
  post("/peers/connect", {
    summary: "Starts to connect to a peer, even a banned one",
    access: "key:admin",
    request: {
      body: {
        kind: "json",
        schema: Type.Object({
          host: Type.String({ description: "IP address or host name." }),
          port: Type.Integer({ minimum: 0, maximum: MAX_PORT }),
        }),
      },
      example: { body: { host: "203.0.113.7", port: 6868 } },
    },
    answers: {
      ok: object({ hostname: Type.String(), status: Type.String() }),
      failures: { 400: "The host or port is not valid, or P2P is disabled on this node." },
    },
    handle: connect,
  }),
  post("/peers/ban", {
    summary: "Bans a host, connected or not, and closes its connections",
    access: "key:admin",
    request: {
      body: {
        kind: "json",
        schema: Type.Object({
          host: BanHost,
          reason: Type.Optional(Type.String({ maxLength: MAX_REASON_LENGTH })),
        }),
      },
      example: { body: { host: "203.0.113.7", reason: "Sends spam" } },
    },
    answers: {
      ok: object({
        banned: Origins,
        seconds: Type.Integer({
          minimum: 0,
          description: "The ban ends after this time (`--black-list-residence-time`).",
          examples: [900],
        }),
      }),
      failures: { 400: "The host is not valid, or P2P or bans are disabled on this node." },
    },
    handle: ban,
  }),
  post("/peers/unban", {
    summary: "Lifts the ban of a host; for IPv6, of its /64 network",
    access: "key:admin",
    request: {
      body: { kind: "json", schema: Type.Object({ host: BanHost }) },
      example: { body: { host: "203.0.113.7" } },
    },
    answers: {
      ok: object({ unbanned: Origins }),
      failures: { 400: "The host is not valid or not banned, or P2P is disabled on this node." },
    },
    handle: unban,
  }),
  post("/peers/clearblacklist", {
    summary: "Clears the ban list",
    access: "key:admin",
    answers: { ok: object({ result: Type.String() }) },
    handle: async ({ api }) => {
      await api.control.peers.clearBans();
      return { result: "blacklist cleared" };
    },
  }),
]);
