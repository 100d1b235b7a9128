/**
 * Attackers of one kind, in a process of their own: `attack-worker.js KIND URL SECONDS SEED`. They go on as fast as they are
 * answered for so many seconds and then say how often they did what. Loopback only.
 */
import { Agent, request } from "node:http";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { addressOf, addressText } from "../src/crypto/addresses.ts";
import { SeededRandom } from "../src/testing/seeded-random.ts";
import { signedRequest, walletKeys } from "../test/support/sign-request.ts";
import { CHAIN_ID, LTO, SCRIPTED, scriptedKeys } from "./attack-setup.ts";

const [kind = "", base = "", seconds = "0", seed = "1"] = process.argv.slice(2);
const url = new URL(base);
if (url.hostname !== "127.0.0.1") throw new Error("Only this machine is attacked");
const end = performance.now() + Number(seconds) * 1_000;
const random = new SeededRandom(Number(seed));
const counts: Record<string, number> = {};
const count = (what: string | number): void => {
  counts[what] = (counts[what] ?? 0) + 1;
};
const isOver = (): boolean => performance.now() >= end;

const agent = new Agent({ keepAlive: true, maxSockets: 200 });

/** Asks, throws the answer away, and counts its status. A node that does not take the connection is tried later. */
async function ask(method: "GET" | "POST", path: string, body?: string): Promise<void> {
  const status = await new Promise<number | string>((resolve) => {
    const asked = request(url + path.slice(1), { method, agent }, (answer) => {
      answer.resume();
      answer.on("close", () => resolve(answer.statusCode ?? 0));
    });
    asked.setTimeout(30_000, () => asked.destroy());
    asked.on("error", () => resolve("cut off"));
    if (body !== undefined) asked.setHeader("content-type", "application/json");
    asked.end(body);
  });
  count(status);
  if (status === "cut off") await delay(100);
}

/** So many at a time, each again and again. */
async function crowd(size: number, one: (number: number) => Promise<void>): Promise<void> {
  const again = async (_: unknown, number: number): Promise<void> => {
    while (!isOver()) await one(number);
  };
  await Promise.all(Array.from({ length: size }, again));
}

/** A raw connection that sends, and is looked after by `use`; ended when that is, or by the node. */
async function onSocket(sent: string | Buffer, use: (socket: Socket) => Promise<void>): Promise<void> {
  const socket = connect(Number(url.port), url.hostname, () => socket.write(sent));
  socket.pause();
  const closed = new Promise<void>((resolve) => socket.on("close", () => resolve()));
  socket.on("error", () => count("cut off"));
  await Promise.race([use(socket), closed]);
  socket.destroy();
  count("connections");
}

/** Until it is over, or as long as so many seconds. */
const rest = (most: number): Promise<void> =>
  delay(Math.max(0, Math.min(most * 1_000, end - performance.now())));

const other = addressText(addressOf(walletKeys("victim").publicKey, CHAIN_ID));
const transfer = () => ({ type: 4, recipient: other, amount: 1 + random.below(2 ** 30), fee: LTO });
const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
const digits = "123456789ABCDEFGHJKLMNPQRSTUVWXYZ";

const kinds: Readonly<Record<string, () => Promise<void>>> = {
  /** Transfers of accounts whose scripts take as long as scripts can. */
  scripts: () =>
    crowd(50, async (number) => {
      const keys = scriptedKeys(number % SCRIPTED);
      await ask("POST", "/transactions/broadcast", signedRequest(transfer(), keys, CHAIN_ID));
    }),

  /** Transfers with a signature that is none, of an account that can pay. */
  signatures: () =>
    crowd(50, async () => {
      const good = JSON.parse(signedRequest(transfer(), walletKeys("root"), CHAIN_ID)) as {
        proofs: string[];
      };
      const [proof = ""] = good.proofs;
      const spoilt = proof.slice(0, 40) + random.pick([...digits]) + proof.slice(41);
      // Some letters in a hundred change nothing.
      if (spoilt !== proof)
        await ask("POST", "/transactions/broadcast", JSON.stringify({ ...good, proofs: [spoilt] }));
    }),

  /** Whatever takes long to read or to parse. */
  reads: () => {
    const numbers = JSON.stringify(Array.from({ length: 15_000 }, (_, i) => `${i}`.padStart(64, "0")));
    const base58 = JSON.stringify({ message: "z".repeat(1_000_000) });
    const lists = JSON.stringify("[]".repeat(1).padEnd(1_000_000, " "));
    return crowd(60, async () => {
      const height = 1 + random.below(100);
      const way = random.below(9);
      if (way < 4) await ask("GET", `/blocks/seq/${height}/${height + 99}`);
      else if (way === 4) await ask("GET", "/transactions/unconfirmed");
      else if (way === 5) await ask("GET", "/debug/state");
      else if (way === 6) await ask("POST", "/hash/verify", numbers);
      else if (way === 7) await ask("POST", "/addresses/verifyText", base58);
      else await ask("POST", "/transactions/broadcast", lists);
    });
  },

  /** Connections on which nobody reads, that begin a request and do not end it, that come and go, that ask ahead. */
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
};

const attack = kinds[kind];
if (attack === undefined)
  throw new Error(`No such kind: ${kind}. There are: ${Object.keys(kinds).join(", ")}`);
await attack();
agent.destroy();
console.log(JSON.stringify(counts));
