/** Attacks over HTTP, by kind. */
import { encodeBase58 } from "../src/bytes/base58.ts";
import { addressText } from "../src/crypto/addresses.ts";
import { signedRequest, walletKeys } from "../test/support/sign-request.ts";
import {
  API_KEY,
  addressOfKeys,
  associatedKeys,
  CHAIN_ID,
  LTO,
  SCRIPTED,
  scriptedKeys,
  sponsoredKeys,
} from "./attack-setup.ts";
import { ask, bother, count, crowd, highest, isOver, onSocket, random, rest } from "./attack-tools.ts";

const BROADCAST = "/transactions/broadcast";
const other = addressText(addressOfKeys(walletKeys("victim")));
const transfer = () => ({ type: 4, recipient: other, amount: 1 + random.below(2 ** 30), fee: LTO });
const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
const digits = "123456789ABCDEFGHJKLMNPQRSTUVWXYZ";

/** File handles that half-sent requests occupy, and the addresses that they come from. */
const HALF_SENT = 1_399;
const HALF_SENT_ADDRESSES = 60;

export const requestKinds: Readonly<Record<string, () => Promise<void>>> = {
  /** Transfers of accounts with the slowest known scripts. */
  scripts: () =>
    crowd(50, async (number) => {
      const keys = scriptedKeys(number % SCRIPTED);
      await bother("POST", BROADCAST, signedRequest(transfer(), keys, CHAIN_ID));
    }),

  /** Transfers with an invalid signature, from an account with a sufficient balance. */
  signatures: () =>
    crowd(50, async () => {
      const good = JSON.parse(signedRequest(transfer(), walletKeys("root"), CHAIN_ID)) as {
        proofs: string[];
      };
      const [proof = ""] = good.proofs;
      const spoilt = proof.slice(0, 40) + random.pick([...digits]) + proof.slice(41);
      if (spoilt !== proof) await bother("POST", BROADCAST, JSON.stringify({ ...good, proofs: [spoilt] }));
    }),

  /** Requests that are slow to read or to parse. */
  reads: () => {
    const numbers = JSON.stringify(Array.from({ length: 15_000 }, (_, i) => `${i}`.padStart(64, "0")));
    const base58 = JSON.stringify({ message: "z".repeat(1_000_000) });
    const lists = JSON.stringify("[]".repeat(1).padEnd(1_000_000, " "));
    return crowd(60, async () => {
      const height = 1 + random.below(100);
      const way = random.below(9);
      if (way < 4) await bother("GET", `/blocks/seq/${height}/${height + 99}`);
      else if (way === 4) await bother("GET", "/transactions/unconfirmed");
      else if (way === 5) await bother("GET", "/debug/state");
      else if (way === 6) await bother("POST", "/hash/verify", numbers);
      else if (way === 7) await bother("POST", "/addresses/verifyText", base58);
      else await bother("POST", BROADCAST, lists);
    });
  },

  /** Connections that ignore answers, leave requests unfinished, open and close at once, or pipeline many requests. */
  connections: async () => {
    const deaf = crowd(60, () => onSocket(get("/blocks/seq/1/100").repeat(8), () => rest(40)));
    const half = crowd(150, () => onSocket("GET /blocks/height HTTP/1.1\r\nHost: local", () => rest(90)));
    const comeAndGo = crowd(10, async () => {
      await onSocket(get("/blocks/height"), () => rest(0.02));
      await rest(0.02);
    });
    const ahead = Buffer.from("GET / HTTP/1.1\r\nHost:a\r\n\r\n".repeat(4_000));
    const pipelines = crowd(10, async () => {
      await onSocket(ahead, (socket) => {
        socket.resume();
        return rest(0.3);
      });
    });
    await Promise.all([deaf, half, comeAndGo, pipelines]);
  },

  /** Revocations without a proof whose sender is an account with many associations: eight at a time. */
  "unsigned-revocation": () =>
    crowd(8, async (number) => {
      const revocation = JSON.stringify({
        type: 17,
        version: 3,
        senderKeyType: "ed25519",
        senderPublicKey: encodeBase58(associatedKeys().publicKey),
        associationType: 1,
        recipient: other,
        fee: LTO,
        timestamp: Date.now(),
        proofs: [],
      });
      await bother("POST", number % 2 === 0 ? BROADCAST : "/transactions/calculateFee", revocation);
    }),

  /** The revocation of an account with 50,400 paid children, and revocations that find nothing left. */
  cascade: async () => {
    const recipient = addressText(addressOfKeys(associatedKeys()));
    const send = (type: number) =>
      bother(
        "POST",
        BROADCAST,
        signedRequest({ type, associationType: 1, recipient, fee: LTO }, walletKeys("root"), CHAIN_ID),
      );
    while (!isOver()) {
      await send(17);
      await rest(10);
      await send(16);
      await rest(10);
    }
  },

  /** More unfinished requests than a node with 1,024 handles can hold. */
  "half-sent-requests": () =>
    crowd(HALF_SENT, async (number) => {
      const from = `127.0.0.${2 + (number % HALF_SENT_ADDRESSES)}`;
      await onSocket("POST /hash HTTP/1.1\r\nHost: local", () => rest(90), from);
      await rest(0.5);
    }),

  /** Transfers of an account whose 24,000 sponsors have no balance: 20 at a time. */
  "penniless-sponsors": () =>
    crowd(20, async () => {
      await bother("POST", BROADCAST, signedRequest(transfer(), sponsoredKeys(), CHAIN_ID));
    }),

  /**
   * Sends wrong keys in every form, half of them as a foreign page, 50 at a time, and measures requests with the right
   * key.
   */
  "key-guessing": async () => {
    const path = "/debug/minerInfo";
    const guessing = crowd(50, async (number) => {
      const guess = random.bytes(8).join("");
      const headers: Record<string, string> =
        number % 4 < 2 ? { "x-api-key": guess } : { authorization: `Bearer ${guess}` };
      if (number % 2 === 1) headers.origin = "https://elsewhere.example";
      const { status } = await ask("GET", path, { headers });
      count(`guesses ${status}`);
    });
    const owner = crowd(1, async () => {
      const begun = performance.now();
      const { status } = await ask("GET", path, { headers: { "x-api-key": API_KEY } });
      count(`right key ${status}`);
      highest("right key, longest ms", performance.now() - begun);
      await rest(0.2);
    });
    await Promise.all([guessing, owner]);
  },
};
