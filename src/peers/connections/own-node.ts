import { reasonOf } from "../../bytes/errors.ts";
import { canonicalHost, ipBytes } from "../../bytes/ip.ts";
import { encodeUtf8 } from "../../bytes/utf8.ts";
import type { Clock, Hosts, Log, Random } from "../../interfaces.ts";
import type { ConnectionOptions } from "../options.ts";
import {
  formatPeerAddress,
  isOwnHost,
  type OwnEndpoint,
  ownAddresses,
  type PeerAddress,
} from "../peer-address.ts";
import { randomBelow } from "../random-choice.ts";
import { type ApplicationVersion, encodeHandshake, type Handshake } from "../wire/handshake.ts";

/** This release of the reference defines the protocol. */
const VERSION: ApplicationVersion = { major: 1, minor: 8, patch: 0 };
const MAX_NAME_LENGTH = 127;
const MAX_SELF_ADDRESSES = 64;

export class NodeNameError extends Error {
  override readonly name = "NodeNameError";
  constructor() {
    super("requirement failed: Node name should have length less than 127 bytes");
  }
}

/** In the reference's range, 0 to 1,998,000. Page 04 §5.1. */
function randomNonce(random: Random): bigint {
  const drawn =
    (randomBelow(random, 1_000) + 1_000) * randomBelow(random, 1_000) + randomBelow(random, 1_000);
  return BigInt(drawn);
}

interface OwnNodeDependencies
  extends Pick<ConnectionOptions, "nodeName" | "nonce" | "listen" | "declaredAddress"> {
  readonly clock: Clock;
  readonly random: Random;
  readonly hosts: Hosts;
  readonly log: Log;
  readonly chainId: number;
}

export class OwnNode {
  readonly applicationName: string;
  readonly nodeName: string;
  readonly nonce: bigint;
  readonly #dependencies: OwnNodeDependencies;
  #declaredAddress: PeerAddress | undefined;
  #port: number;
  readonly #selfAddresses = new Map<string, PeerAddress>();

  /** @throws NodeNameError */
  constructor(dependencies: OwnNodeDependencies) {
    const { chainId, random, listen, declaredAddress } = dependencies;
    this.#dependencies = dependencies;
    this.applicationName = `lto${String.fromCharCode(chainId)}`;
    this.nonce = dependencies.nonce ?? randomNonce(random);
    this.nodeName = dependencies.nodeName ?? `Node-${this.nonce}`;
    if (encodeUtf8(this.nodeName).length > MAX_NAME_LENGTH) throw new NodeNameError();
    this.#declaredAddress =
      declaredAddress === undefined || ipBytes(declaredAddress.host) === undefined
        ? undefined
        : declaredAddress;
    this.#port = listen?.port ?? 0;
  }

  /** Never rejects: if the host cannot be resolved, no address is declared. */
  async resolveDeclaredAddress(): Promise<void> {
    const { declaredAddress, hosts, log } = this.#dependencies;
    if (declaredAddress === undefined || this.#declaredAddress !== undefined) return;
    const { host, port } = declaredAddress;
    try {
      const [address] = await hosts.resolve(host);
      if (address !== undefined) this.#declaredAddress = { host: canonicalHost(address), port };
    } catch (error) {
      log.warn(`Cannot resolve the declared address ${host}: no address is declared`, {
        reason: reasonOf(error),
      });
    }
  }

  setPort(port: number): void {
    this.#port = port;
  }

  handshake(): Uint8Array {
    return encodeHandshake({
      applicationName: this.applicationName,
      version: VERSION,
      nodeName: this.nodeName,
      nonce: this.nonce,
      declaredAddress: this.#declaredAddress,
      time: BigInt(Math.floor(this.#dependencies.clock.now() / 1_000)),
    });
  }

  /** Compares addresses too, because nonces can be equal. */
  isSelf(host: string, { nonce, declaredAddress }: Handshake): boolean {
    if (nonce !== this.nonce) return false;
    if (isOwnHost(host, this.#endpoint())) return true;
    const declared = this.#declaredAddress;
    return (
      declared !== undefined &&
      declaredAddress !== undefined &&
      formatPeerAddress(declared) === formatPeerAddress(declaredAddress)
    );
  }

  /**
   * Returns true if, of two simultaneous dials, this node's is kept. The smaller nonce wins; if the nonces are equal,
   * the smaller declared address.
   */
  winsTie({ nonce, declaredAddress }: Handshake): boolean {
    if (nonce !== this.nonce) return this.nonce < nonce;
    if (declaredAddress === undefined || this.#declaredAddress === undefined) return false;
    return formatPeerAddress(this.#declaredAddress) < formatPeerAddress(declaredAddress);
  }

  addSelfAddress(address: PeerAddress): void {
    if (this.#selfAddresses.size < MAX_SELF_ADDRESSES)
      this.#selfAddresses.set(formatPeerAddress(address), address);
  }

  addresses(): PeerAddress[] {
    return [...ownAddresses(this.#endpoint()), ...this.#selfAddresses.values()];
  }

  #endpoint(): OwnEndpoint {
    const { hosts, listen, declaredAddress } = this.#dependencies;
    return {
      bindHost: listen?.host ?? "0.0.0.0",
      port: this.#port,
      interfaces: hosts.own(),
      declared: this.#declaredAddress ?? declaredAddress,
    };
  }
}
