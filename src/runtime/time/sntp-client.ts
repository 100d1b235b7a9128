/** Asks a time server, over UDP. */
import { createSocket } from "node:dgram";
import { lookup } from "node:dns/promises";
import type { Clock, Random } from "../../interfaces.ts";
import { buildTimeRequest, parseTimeAnswer, type TimeAnswer, TimeAnswerError } from "./sntp-packet.ts";

/** A time server: host name or IP address, and port. */
export interface TimeServer {
  readonly host: string;
  readonly port: number;
}

/** Longest wait for an answer, ms. */
const RESPONSE_TIMEOUT_MS = 5_000;

/**
 * What a time server says of our clock.
 * @param clock the machine's own, not corrected
 * @throws TimeAnswerError for an answer that is none, and what the system says of names and networks
 */
export async function askTimeServer(
  server: TimeServer,
  clock: Pick<Clock, "now" | "monotonic" | "after">,
  random: Random,
): Promise<TimeAnswer> {
  const { address, family } = await lookup(server.host);
  const mark = random.bytes(8);
  const socket = createSocket(family === 6 ? "udp6" : "udp4");
  let cancel = () => {};
  try {
    return await new Promise<TimeAnswer>((resolve, reject) => {
      let askedAt = 0;
      let started = 0;
      cancel = clock.after(RESPONSE_TIMEOUT_MS, () =>
        reject(new TimeAnswerError(`no answer within ${RESPONSE_TIMEOUT_MS / 1_000} s`)),
      );
      // Until it is closed: a second error without a listener would count as uncaught.
      socket.on("error", reject);
      socket.on("message", (bytes, { address: from }) => {
        if (from !== address) return;
        // Time that passes, for the case that somebody sets the clock meanwhile.
        const answeredAt = askedAt + (clock.monotonic() - started);
        try {
          resolve(parseTimeAnswer(bytes, mark, askedAt, answeredAt));
        } catch (error) {
          reject(error);
        }
      });
      // Connected, the system hands over nothing from elsewhere, and says when nobody is there.
      socket.connect(server.port, address, () => {
        askedAt = clock.now();
        started = clock.monotonic();
        socket.send(buildTimeRequest(mark), (error) => {
          if (error) reject(error);
        });
      });
    });
  } finally {
    cancel();
    socket.close();
  }
}
