/** SNTP packets (RFC 4330). Page 03 §8.6 defines their use. */

const PACKET_LENGTH = 48;

/** Seconds from 1900, when SNTP times start, to 1970. */
const EPOCH_SECONDS = 2_208_988_800n;
/** The 32-bit seconds wrap in 2036 (RFC 4330, section 3). */
const ERA_SECONDS = 2n ** 32n;
const FRACTIONS_PER_SECOND = 2n ** 32n;

const CLIENT_MODE = 3;
const SERVER_MODE = 4;
const VERSION = 4;
/** The leap indicator of a server without a valid time. */
const UNSYNCHRONISED = 3;
const MAX_STRATUM = 15;

export class TimeAnswerError extends Error {
  override readonly name = "TimeAnswerError";
  /** True if the server asked for fewer requests. */
  readonly isRateLimited: boolean;
  constructor(message: string, isRateLimited = false) {
    super(message);
    this.isRateLimited = isRateLimited;
  }
}

export interface TimeAnswer {
  /** Offset to add to the machine's clock, ms. */
  readonly offsetMs: number;
  /** Round-trip time, ms; twice the maximum error of the offset. */
  readonly delayMs: number;
}

/** Returns ms since 1970. Seconds below 2^31 belong to the era after 2036. */
function readTime(view: DataView, at: number): number {
  const seconds = BigInt(view.getUint32(at));
  const era = seconds < 2n ** 31n ? ERA_SECONDS : 0n;
  const fraction = BigInt(view.getUint32(at + 4));
  return (
    Number((seconds + era - EPOCH_SECONDS) * 1_000n) +
    Number((fraction * 1_000_000n) / FRACTIONS_PER_SECOND) / 1_000
  );
}

/** @param nonce 8 random bytes, which the answer must repeat to prove that its sender saw the request */
export function buildTimeRequest(nonce: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(PACKET_LENGTH);
  bytes[0] = (VERSION << 3) | CLIENT_MODE;
  bytes.set(nonce.subarray(0, 8), 40);
  return bytes;
}

/**
 * @param askedAt request time by the machine's clock, ms since 1970
 * @param answeredAt arrival time by the same clock
 * @throws TimeAnswerError
 */
export function parseTimeAnswer(
  bytes: Uint8Array,
  nonce: Uint8Array,
  askedAt: number,
  answeredAt: number,
): TimeAnswer {
  if (bytes.length < PACKET_LENGTH) throw new TimeAnswerError(`the answer has only ${bytes.length} bytes`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if ((bytes[0] & 7) !== SERVER_MODE) throw new TimeAnswerError("the packet is not an SNTP answer");
  if (nonce.subarray(0, 8).some((byte, i) => byte !== bytes[24 + i]))
    throw new TimeAnswerError("the answer is not for this request");
  const stratum = bytes[1];
  if (stratum === 0) throw new TimeAnswerError("the server asks for fewer requests", true);
  if (bytes[0] >> 6 === UNSYNCHRONISED || stratum > MAX_STRATUM)
    throw new TimeAnswerError("the server is not synchronised");
  const received = readTime(view, 32);
  const sent = readTime(view, 40);
  if (view.getUint32(40) === 0 && view.getUint32(44) === 0)
    throw new TimeAnswerError("the answer contains no time");
  const delayMs = answeredAt - askedAt - (sent - received);
  if (sent < received || delayMs < -1)
    throw new TimeAnswerError("the times of the answer contradict each other");
  return { offsetMs: (received - askedAt + sent - answeredAt) / 2, delayMs: Math.max(0, delayMs) };
}
