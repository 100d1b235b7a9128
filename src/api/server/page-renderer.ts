/** What the node and the explorer's `server.tsx` agree on. */

export interface PageRequest {
  /** Of the API, with a trailing slash. */
  readonly url: string;
  /** Percent-encoded and relative to the explorer. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Answers a `GET` request to the API. */
  fetch(url: string, init: { readonly headers: Readonly<Record<string, string>> }): Promise<Response>;
}

export interface RenderedPage {
  /** The element. */
  readonly title: string;
  readonly html: string;
  /** Rules of this page alone. */
  readonly css: string;
}

/** @throws if the API does not answer as a node does */
export type RenderPage = (request: PageRequest) => Promise<RenderedPage>;

export type RenderedLanguage = "en" | "nl";

/** Id of the element with the embedded answers, as JSON. */
export type AnswersId = "answers";

/** An answer that the node has embedded in the page: path with query, status, headers and body. */
export type EmbeddedAnswer = readonly [
  path: string,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string,
];
