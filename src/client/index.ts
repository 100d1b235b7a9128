export {
  type AnswerWithHeaders,
  type Client,
  type ClientOptions,
  createClient,
  FailedRequestError,
  type Fetch,
} from "./client.ts";
export type { Decoded } from "./decode.ts";
export { EventStreamError } from "./event-messages.ts";
export { type ChainEvent, type EventsOptions, readEvents, type StreamFetch } from "./events.ts";
export { ReadPosition } from "./read-position.ts";
export type { Answer, RouteKey, RouteRequest } from "./types.ts";
