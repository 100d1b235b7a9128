import { createSocket } from "node:dgram";
import { lookup } from "node:dns/promises";
import type { Clock, Random } from "../../interfaces.ts";
import { buildTimeRequest, parseTimeAnswer, type TimeAnswer, TimeAnswerError } from "./sntp-packet.ts";

export interface TimeServer {
  readonly host: string;
  readonly port: number;
}

const RESPONSE_TIMEOUT_MS = 5_000;

/**
 * Asks a time server for the offset of the machine's clock.
 * @param clock the machine's uncorrected clock
 * @throws TimeAnswerError for an invalid or missing answer; system errors of name resolution and sockets
 */
export async function askTimeServer(
  server: TimeServer,
  clock: Pick<Clock, "now" | "monotonic" | "after">,
  random: Random,
): Promise<TimeAnswer> {
  const { address, family } = await lookup(server.host);
  const nonce = random.bytes(8);
  const socket = createSocket(family === 6 ? "udp6" : "udp4");
  let cancel = () => {};
  try {
    return await new Promise<TimeAnswer>((resolve, reject) => {
      let askedAt = 0;
      let monotonicStart = 0;
      cancel = clock.after(RESPONSE_TIMEOUT_MS, () =>
        reject(new TimeAnswerError(`no answer within ${RESPONSE_TIMEOUT_MS / 1_000} s`)),
      );
      // `once` would leave a second error uncaught.
      socket.on("error", reject);
      socket.on("message", (bytes, { address: from }) => {
        if (from !== address) return;
        // The machine's clock may have been set meanwhile.
        const answeredAt = askedAt + (clock.monotonic() - monotonicStart);
        try {
          resolve(parseTimeAnswer(bytes, nonce, askedAt, answeredAt));
        } catch (error) {
          reject(error);
        }
      });
      // A connected socket receives nothing from other hosts.
      socket.connect(server.port, address, () => {
        askedAt = clock.now();
        monotonicStart = clock.monotonic();
        socket.send(buildTimeRequest(nonce), (error) => {
          if (error) reject(error);
        });
      });
    });
  } finally {
    cancel();
    socket.close();
  }
}
