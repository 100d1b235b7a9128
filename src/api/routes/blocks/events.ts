import Type from "typebox";
import { decodeBase58 } from "../../../bytes/base58.ts";
import { tryDecode } from "../../../bytes/errors.ts";
import { tryParseAddress } from "../../../crypto/addresses.ts";
import { ApiError, failure } from "../../../http/errors.ts";
import { Reply } from "../../../http/responses/reply.ts";
import { definitionByName } from "../../../transactions/index.ts";
import { type EventFilter, type EventName, eventFilter, eventNames } from "../../events/filter.ts";
import { type EventPosition, parsePosition } from "../../events/position.ts";
import { GENESIS_TRANSACTION, ROOT } from "../../openapi/dev-examples.ts";
import { type Answer, type Call, get, routesOf } from "../../route.ts";
import { AddressText, EVENT_STREAM, TransactionId, TypeName } from "../../schemas/common.ts";
import { eventSchemas } from "../../schemas/events.ts";

const MAX_VALUES = 100;
/** Transactions of some types have a signature as their id. */
const MAX_ID_BYTES = 64;
const MAX_ID_TEXT = 88;
const defaultEvents: readonly EventName[] = ["block", "microblock", "transaction"];

function refusal(message: string): ApiError {
  return new ApiError(failure(400, 400, message));
}

/** Accepts repeated parameters, and values separated by commas. @throws ApiError 400 */
function valuesOf(call: Call, name: string): readonly string[] {
  const values = call.queryAll(name).flatMap((text) => text.split(","));
  if (values.length > MAX_VALUES) throw refusal(`${name}: at most ${MAX_VALUES} values are allowed`);
  return values;
}

function readEvents(call: Call): readonly EventName[] {
  const names = valuesOf(call, "events");
  if (names.length === 0) return defaultEvents;
  return names.map((name) => {
    const event = eventNames.find((eventName) => eventName === name);
    if (event === undefined) throw refusal(`events: '${name}' must be one of ${eventNames.join(", ")}`);
    return event;
  });
}

function readAddress(text: string, chainId: number): Uint8Array {
  const address = tryParseAddress(text, chainId);
  if (address === undefined) throw refusal(`address: '${text}' is not an address of this network`);
  return address;
}

function readId(text: string): Uint8Array {
  const id = tryDecode(() => decodeBase58(text, MAX_ID_TEXT));
  if (id === undefined || id.length === 0 || id.length > MAX_ID_BYTES)
    throw refusal(`id: '${text}' is not a transaction id`);
  return id;
}

function readFilter(call: Call): EventFilter {
  const { network } = call.info;
  return eventFilter({
    events: readEvents(call),
    types: valuesOf(call, "type").map((name) => {
      const definition = definitionByName(name, network);
      if (definition === undefined) throw refusal(`type: '${name}' is not a transaction type`);
      return definition.type;
    }),
    addresses: valuesOf(call, "address").map((text) => readAddress(text, network.chainId)),
    ids: valuesOf(call, "id").map(readId),
  });
}

/** After a reconnect, the header is newer than the URL. */
function readSince(call: Call): EventPosition | undefined {
  const text = call.header("last-event-id") || call.query("since");
  if (text === undefined) return undefined;
  const position = parsePosition(text);
  if (position === undefined) throw refusal("since: must be the id of an event, or 0 for the whole chain");
  return position;
}

function openStream(call: Call): Answer {
  const filter = readFilter(call);
  return new Reply({
    type: EVENT_STREAM,
    headers: { "cache-control": "no-store", "x-accel-buffering": "no" },
    body: call.api.eventStreams.open(filter, readSince(call), call.api.senderOf(call.request)),
  });
}

export const eventRoutes = routesOf("events", [
  get("/events", {
    summary: "Blocks, micro blocks and transactions as they join or leave the chain (server-sent events)",
    request: {
      query: {
        events: Type.Enum(eventNames, {
          description: "Events to send; may be repeated. All except `pool` by default.",
        }),
        type: TypeName,
        address: AddressText,
        id: TransactionId,
        since: Type.String({
          description:
            "Id of the event after which to resume; `0` to start at the first block. The header `Last-Event-ID` takes " +
            "precedence.",
        }),
      },
      example: {
        query: { events: "transaction", type: "genesis", address: ROOT, id: GENESIS_TRANSACTION, since: "0" },
      },
    },
    answers: {
      ok: Type.Union(Object.values(eventSchemas), {
        description: "Data of the events; the line `event:` contains the event's name.",
      }),
      type: EVENT_STREAM,
      failures: { 400: "A parameter is not valid.", 503: "There are too many event streams." },
    },
    handle: openStream,
  }),
]);
