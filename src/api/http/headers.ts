/** What is read of a request before its route is. */

/** Request headers as Node gives them: lower-case names. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** What is looked at of a request before it may do something. */
export interface Asked {
  readonly headers: Headers;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** The first value of a header. */
export function header(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" || value === undefined ? value : value[0];
}
