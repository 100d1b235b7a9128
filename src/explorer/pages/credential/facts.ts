import type { AssertionKey, Credential } from "../../../client/credential-proof.ts";
import type { Answer } from "../../../client/index.ts";
import { attempt } from "../../data/use-query.ts";
import type { Attempt, PageContext } from "../../page.ts";
import { loadGrants, type TrustData } from "../trust/graph.ts";

type Resolution = Answer<"GET /1.0/identifiers/:did">;

/** What the node knows about a credential. Each part can fail alone. */
export interface CredentialFacts {
  readonly keys: Attempt<readonly AssertionKey[]>;
  readonly status: Attempt<Answer<"GET /credential-status/:id">>;
  readonly trust: Attempt<TrustData>;
}

/** Keys that may sign credentials. */
function assertionKeys({ didDocument }: Resolution): readonly AssertionKey[] {
  const methods = new Map((didDocument?.verificationMethod ?? []).map((method) => [method.id, method]));
  return (didDocument?.assertionMethod ?? []).flatMap((method) =>
    typeof method === "string" ? (methods.get(method) ?? []) : method,
  );
}

/** @throws the client's errors if the node is unreachable */
export async function loadFacts(credential: Credential, context: PageContext): Promise<CredentialFacts> {
  const { node } = context;
  const { client } = node;
  const { issuer, statusId: id } = credential;
  const [keys, status, trust] = await Promise.all([
    attempt(node, client.call("GET /1.0/identifiers/:did", { params: { did: issuer } }).then(assertionKeys)),
    attempt(
      node,
      client.call("GET /credential-status/:id", { params: { id }, query: { issuer, limit: 1_000 } }),
    ),
    attempt(node, loadGrants(context)),
  ]);
  return { keys, status, trust };
}
