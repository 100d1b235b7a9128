import { isLoopback } from "../bytes/ip.ts";
import type { Connection, Listening, Transport } from "../interfaces.ts";
import { formatPeerAddress } from "../peers/peer-address.ts";

/**
 * Real connections within this machine only: tests must not dial addresses from peer lists. Child processes use
 * `test/support/loopback-only.mjs`.
 */
export class LoopbackTransport implements Transport {
  /** Refused addresses, in order. */
  readonly refused: string[] = [];
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async listen(
    host: string,
    port: number,
    onConnection: (connection: Connection) => void,
  ): Promise<Listening | undefined> {
    if (!isLoopback(host)) throw new Error(`Tests listen on this machine only, not at ${host}`);
    return this.#transport.listen(host, port, onConnection);
  }

  async dial(host: string, port: number, timeoutMs: number): Promise<Connection> {
    if (!isLoopback(host)) {
      const address = formatPeerAddress({ host, port });
      this.refused.push(address);
      throw new Error(`Tests dial this machine only, not ${address}`);
    }
    return this.#transport.dial(host, port, timeoutMs);
  }
}
