import Type from "typebox";
import { canonicalHost, ipNetwork } from "../../bytes/ip.ts";
import { type JsonOut, printJson } from "../../bytes/json.ts";
import {
  formatPeerAddress,
  PeerAddressError,
  parseHost,
  parsePeerAddress,
} from "../../peers/peer-address.ts";
import { UsageError } from "../exit-codes.ts";
import type { Io } from "../io.ts";
import { countText } from "../numbers.ts";
import { connectNode, type NodeFlags } from "./node-connection.ts";
import { columns, durationText, plainText, sizeText } from "./plain-text.ts";

const MAX_REASON_LENGTH = 200;
const DEFAULT_PEER_PORT = 6_863;

const Connected = Type.Object({
  height: Type.Integer(),
  peers: Type.Array(
    Type.Object({
      address: Type.String(),
      peerName: Type.String(),
      applicationVersion: Type.String(),
      direction: Type.String(),
      connectedMs: Type.Number(),
      receivedBytes: Type.Number(),
      sentBytes: Type.Number(),
      height: Type.Optional(Type.Number()),
    }),
  ),
});
const Banned = Type.Array(
  Type.Object({ hostname: Type.String(), timestamp: Type.Number(), reason: Type.String() }),
);
const Known = Type.Object({
  // The `lastSeen` of a configured peer is 2^63 - 1, which only a bigint represents exactly.
  peers: Type.Array(
    Type.Object({ address: Type.String(), lastSeen: Type.Union([Type.Number(), Type.BigInt()]) }),
  ),
});

/** Removes the reference's slash before an IP address. */
function shownAddress(text: string): string {
  return plainText(text.replace(/^\//, ""));
}

interface ListFlags extends NodeFlags {
  readonly banned?: boolean;
  readonly known?: boolean;
  readonly json?: boolean;
}

/** @throws CommandError */
export async function listPeers(flags: ListFlags, io: Io): Promise<string> {
  if (flags.banned === true && flags.known === true)
    throw new UsageError("Give only one of --banned and --known");
  const node = await connectNode(flags, io);
  const json = (answer: unknown) => `${printJson(answer as JsonOut)}\n`;
  if (flags.banned === true) {
    const banned = await node.call("/peers/blacklisted", Banned);
    if (flags.json === true) return json(banned);
    const now = io.clock.now();
    const rows = banned.map(({ hostname, timestamp, reason }) => [
      canonicalHost(shownAddress(hostname)),
      `${durationText(now - timestamp)} ago`,
      plainText(reason),
    ]);
    return rows.length === 0 ? "No host is banned\n" : columns([["HOST", "BANNED", "REASON"], ...rows]);
  }
  if (flags.known === true) {
    const known = await node.call("/peers/all", Known);
    if (flags.json === true) return json(known);
    const rows = known.peers.map(({ address, lastSeen }) => [
      shownAddress(address),
      typeof lastSeen === "number" ? `${durationText(io.clock.now() - lastSeen)} ago` : "configured",
    ]);
    return rows.length === 0 ? "No peer is known\n" : columns([["ADDRESS", "LAST SEEN"], ...rows]);
  }
  const connected = await node.call("/node/peers", Connected);
  if (flags.json === true) return json(connected);
  if (connected.peers.length === 0) return "No peer is connected\n";
  const rows = connected.peers.map((peer) => [
    shownAddress(peer.address),
    plainText(peer.direction),
    plainText(peer.peerName),
    plainText(peer.applicationVersion),
    peer.height === undefined ? "?" : String(peer.height),
    durationText(peer.connectedMs),
    sizeText(peer.receivedBytes),
    sizeText(peer.sentBytes),
  ]);
  const header = ["ADDRESS", "DIRECTION", "NAME", "VERSION", "HEIGHT", "CONNECTED", "RECEIVED", "SENT"];
  return `${columns([header, ...rows])}${countText(rows.length, "peer")}, own height ${connected.height}\n`;
}

/** @throws UsageError for an invalid address; CommandError */
export async function connectPeer(text: string, flags: NodeFlags, io: Io): Promise<string> {
  const address = withUsageErrors(() => parsePeerAddress(text, DEFAULT_PEER_PORT));
  const node = await connectNode(flags, io);
  const { host, port } = address;
  await node.call("/peers/connect", Type.Object({ status: Type.String() }), {
    method: "POST",
    body: { host, port },
    sendsKey: true,
  });
  return `${node.url} connects to ${formatPeerAddress(address)}. \`holdfast peers list\` shows the connection. If the node cannot connect, its log has the reason at the level debug.\n`;
}

function withUsageErrors<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof PeerAddressError) throw new UsageError(error.message);
    throw error;
  }
}

function checkHost(text: string): void {
  if (!text.includes("/")) {
    withUsageErrors(() => parseHost(text));
    return;
  }
  const network = ipNetwork(text);
  if (network?.address.length === 16 && network.bits === 64) return;
  throw new UsageError(`Invalid host "${text}": only the /64 network of an IPv6 address can be banned`);
}

const Origins = Type.Array(Type.String());

/** @throws UsageError for an invalid host or reason; CommandError */
export async function banPeer(
  host: string,
  flags: NodeFlags & { readonly reason?: string },
  io: Io,
): Promise<string> {
  checkHost(host);
  const { reason } = flags;
  if (reason !== undefined && reason.length > MAX_REASON_LENGTH)
    throw new UsageError(`--reason: at most ${MAX_REASON_LENGTH} characters`);
  const node = await connectNode(flags, io);
  const answer = Type.Object({ banned: Origins, seconds: Type.Integer() });
  const { banned, seconds } = await node.call("/peers/ban", answer, {
    method: "POST",
    body: { host, ...(reason !== undefined && { reason }) },
    sendsKey: true,
  });
  return `Banned ${banned.map(plainText).join(", ")} for ${durationText(1_000 * seconds)}\n`;
}

/** @throws UsageError; CommandError, also if the host is not banned */
export async function unbanPeer(host: string, flags: NodeFlags, io: Io): Promise<string> {
  checkHost(host);
  const node = await connectNode(flags, io);
  const { unbanned } = await node.call("/peers/unban", Type.Object({ unbanned: Origins }), {
    method: "POST",
    body: { host },
    sendsKey: true,
  });
  return `Lifted the ban of ${unbanned.map(plainText).join(", ")}\n`;
}
