/**
 * The calls of the README, made through types that were generated from a node's description. Compiled by
 * test/openapi-types.test.ts, beside the generated `api.ts`; what must not compile is marked.
 */
import type { components, paths } from "./api.ts";

type Json<Answer> = Answer extends { content: { "application/json": infer Body } } ? Body : never;
type Body<Operation> = Operation extends { requestBody: { content: { "application/json": infer Sent } } }
  ? Sent
  : undefined;
type Parameters<Operation> = Operation extends { parameters: { path: infer Path } } ? Path : unknown;
type Answer<Operation> = Operation extends { responses: { 200: infer Success } } ? Json<Success> : never;
type Failure<Operation, Status extends number> = Operation extends { responses: infer Responses }
  ? Status extends keyof Responses
    ? Json<Responses[Status]>
    : never
  : never;

declare function get<Path extends keyof paths>(
  path: Path,
  parameters: Parameters<paths[Path]["get"]>,
): Promise<Answer<paths[Path]["get"]>>;
declare function post<Path extends keyof paths>(
  path: Path,
  parameters: Parameters<paths[Path]["post"]>,
  body: Body<paths[Path]["post"]>,
): Promise<Answer<paths[Path]["post"]>>;

/** Compiles for what is known to be this type, and nothing else: neither `any` nor `unknown` nor `never`. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
declare function is<A, B>(same: Same<A, B>): void;

const root = "3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt";
const second = "3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE";

export async function readme(): Promise<void> {
  const { height } = await get("/blocks/height", {});
  is<typeof height, number>(true);

  const { balance } = await get("/addresses/balance/{address}", { address: root });
  is<typeof balance, number>(true);
  const { unbonding } = await get("/addresses/balance/details/{address}", { address: root });
  is<typeof unbonding, number>(true);
  // @ts-expect-error the address is missing
  await get("/addresses/balance/{address}", {});

  const anchored = await post("/hash", {}, { hash: "34b4a6b1", encoding: "hex" });
  is<typeof anchored.chainpoint.targetHash, string>(true);
  // @ts-expect-error no such encoding
  await post("/hash", {}, { hash: "34b4a6b1", encoding: "utf8" });
  const { chainpoint } = await get("/hash/{hash}", { hash: "34b4a6b1" });
  is<typeof chainpoint.block, { height: string } | undefined>(true);

  const { address } = await post("/wallet/addresses", {}, undefined);
  is<typeof address, string>(true);

  // As the README has it: the path names the type.
  const transfer = { sender: root, recipient: second, amount: 2_500_000_000, fee: 100_000_000 };
  const submitted = await post("/transactions/submit/{type}", { type: "transfer" }, transfer);
  is<typeof submitted.id, string>(true);
  // @ts-expect-error the type is missing
  await post("/transactions/broadcast", {}, transfer);
  const sent = await post(
    "/transactions/broadcast",
    {},
    { type: 4, senderPublicKey: root, recipient: second, amount: 1, fee: 1, proofs: ["3kqj"] },
  );
  narrow(sent);
  const { feeAmount } = await post(
    "/transactions/calculateFee",
    {},
    { type: 4, recipient: second, amount: 1 },
  );
  is<typeof feeAmount, number>(true);

  const document = await get("/identities/{address}", { address: `did:lto:${root}` });
  is<typeof document.id, string>(true);

  const block = await get("/blocks/at/{height}", { height: 1 });
  is<typeof block, components["schemas"]["Block"]>(true);
  for (const one of block.transactions) {
    is<typeof one.effectiveFee, number>(true);
    narrow(one);
  }
  const found = await get("/transactions/info/{id}", { id: "x" });
  is<typeof found.height, number>(true);
  if (found.type === 11) is<(typeof found.transfers)[number]["amount"], number>(true);
}

function narrow(transaction: components["schemas"]["Transaction"]): void {
  // @ts-expect-error only some types have one
  transaction.recipient;
  switch (transaction.type) {
    case 1:
      is<typeof transaction, components["schemas"]["GenesisTransaction"]>(true);
      break;
    case 4:
      is<typeof transaction.recipient, string>(true);
      is<typeof transaction.amount, number>(true);
      // @ts-expect-error that is one of type 9
      transaction.leaseId;
      break;
    case 9:
      is<typeof transaction.leaseId, string>(true);
      break;
    // @ts-expect-error there is no such type
    case 3:
      break;
    default:
      // Whatever it is.
      is<typeof transaction.fee, number>(true);
  }
}

export function failures(): void {
  type NoBlock = Failure<paths["/blocks/at/{height}"]["get"], 404>;
  is<NoBlock, components["schemas"]["Error"]>(true);
  type Refused = Failure<paths["/transactions/broadcast"]["post"], 400>;
  const refused = {} as Refused;
  if ("tx" in refused) narrow(refused.tx);
  is<Failure<paths["/trust/{address}"]["get"], 400>["error"], string | number>(true);
}
