import type { Static, TSchema } from "typebox";
import type { DeclaredRoutes } from "../api/routes/all.ts";

/** Excludes redirects and streams. */
type Declared = Exclude<
  DeclaredRoutes[number],
  {
    readonly answers:
      | { readonly redirects: true }
      | { readonly type: "text/event-stream" | "application/vnd.holdfast.units" };
  }
>;

type Routes = {
  readonly [R in Declared as `${R["method"]} ${R["path"]}`]: R;
};

/** Such as `GET /blocks/at/:height`. */
export type RouteKey = keyof Routes;

type Values<Schemas> = {
  readonly [Name in keyof Schemas]: Schemas[Name] extends TSchema ? Static<Schemas[Name]> : never;
};

type ParamsOf<R> = R extends { readonly request: { readonly params: infer Schemas } }
  ? { readonly params: Values<Schemas> }
  : unknown;

type QueryOf<R> = R extends { readonly request: { readonly query: infer Schemas } }
  ? { readonly query?: Partial<Values<Schemas>> }
  : unknown;

type BodyOf<R> = R extends {
  readonly request: { readonly body: { readonly schema: infer Schema extends TSchema } };
}
  ? { readonly body: Static<Schema> }
  : unknown;

export type RouteRequest<Key extends RouteKey> = ParamsOf<Routes[Key]> &
  QueryOf<Routes[Key]> &
  BodyOf<Routes[Key]> & {
    readonly headers?: Readonly<Record<string, string>>;
  };

/** The request is optional if the route requires no part of it. */
export type Arguments<Key extends RouteKey> =
  Record<never, never> extends RouteRequest<Key>
    ? [request?: RouteRequest<Key>]
    : [request: RouteRequest<Key>];

type WholeAnswer<R> = R extends { readonly answers: { readonly type: infer Type } }
  ? Type extends `text/${string}`
    ? string
    : Uint8Array
  : R extends { readonly answers: { readonly ok: infer Schema extends TSchema } }
    ? Static<Schema>
    : never;

/** Answer 202 has no value. */
type AcceptedAnswer<R> = R extends { readonly answers: { readonly failures: { readonly 202: unknown } } }
  ? undefined
  : never;

/** Text, bytes, or JSON with 64-bit integers as `bigint`; also `undefined` if the route can answer 202. */
export type Answer<Key extends RouteKey> = WholeAnswer<Routes[Key]> | AcceptedAnswer<Routes[Key]>;
