/** Holdfast only. */
import Type from "typebox";
import { encodeBase58 } from "../../../bytes/base58.ts";
import type { JsonOut } from "../../../bytes/json.ts";
import { addressText } from "../../../crypto/addresses.ts";
import type { ChainSnapshot, Suggestion } from "../../../interfaces.ts";
import { ROOT } from "../../openapi/dev-examples.ts";
import { type Answer, get, type ReadCall, routesOf } from "../../route.ts";
import { Height, object } from "../../schemas/common.ts";
import { didPrefix } from "../identities/did.ts";

/** Shorter prefixes match too much. */
const MIN_PREFIX = 6;
const MAX_TEXT = 100;
const MAX_PER_KIND = 5;

function suggestionJson(one: Suggestion): JsonOut {
  if (one.kind === "address") return { kind: one.kind, text: addressText(one.address) };
  return { kind: one.kind, text: encodeBase58(one.id), height: one.height };
}

function heightOf(chain: ChainSnapshot, text: string): readonly JsonOut[] {
  const height = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  return height >= 1 && height <= chain.height() ? [{ kind: "height", text: String(height), height }] : [];
}

function answerSuggestions(call: ReadCall): Answer {
  const text = call.param("text").trim();
  if (text.length > MAX_TEXT) return [];
  const prefix = didPrefix(call.info.network);
  const isDid = text.startsWith(prefix);
  const start = isDid ? text.slice(prefix.length) : text;
  return call.read((chain) => {
    const found = start.length < MIN_PREFIX ? [] : chain.suggestions.startingWith(start, MAX_PER_KIND);
    if (!isDid) return [...heightOf(chain, text), ...found.map(suggestionJson)];
    return found.flatMap((one) =>
      one.kind === "address" ? [{ kind: "did", text: prefix + addressText(one.address) }] : [],
    );
  });
}

export const suggestionRoutes = routesOf("blocks", [
  get("/suggestions/:text", {
    summary: "The height that equals a text, and accounts, DIDs, transactions and blocks that begin with it",
    request: {
      params: {
        text: Type.String({
          description:
            "At most 100 characters. A prefix has at least 6 characters; `did:lto:` at its start does not count.",
          examples: [ROOT.slice(0, 8)],
        }),
      },
    },
    answers: {
      ok: Type.Array(
        object({
          kind: Type.Enum(["height", "address", "did", "transaction", "block"]),
          text: Type.String({ description: "The whole id, address, DID or height." }),
          height: Type.Optional(Height),
        }),
      ),
    },
    cost: { cacheable: true },
    runsInReader: true,
    handle: answerSuggestions,
  }),
]);
