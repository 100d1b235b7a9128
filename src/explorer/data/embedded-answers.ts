/** Answers that the node has embedded in the page, so that the first view needs no requests. */
import type { AnswersId, EmbeddedAnswer } from "../../api/server/page-renderer.ts";

type BrowserFetch = (url: string, init: RequestInit) => Promise<Response>;

const ANSWERS_ID: AnswersId = "answers";

interface EmbeddedAnswers {
  /** Uses each answer once. */
  readonly fetch: BrowserFetch;
  readonly areEmbedded: boolean;
  discard(): void;
}

/** @param nodeUrl with a trailing slash */
export function readEmbeddedAnswers(nodeUrl: string, fetch: BrowserFetch): EmbeddedAnswers {
  const text = document.getElementById(ANSWERS_ID)?.textContent;
  // Safe cast: the node has written it.
  const embedded: readonly EmbeddedAnswer[] = JSON.parse(text ?? "[]");
  const answers = new Map(embedded.map((answer) => [nodeUrl + answer[0], answer]));
  return {
    areEmbedded: answers.size > 0,
    discard: () => answers.clear(),
    fetch: async (url, init) => {
      const answer = answers.get(url);
      if (answer === undefined) return fetch(url, init);
      answers.delete(url);
      const [, status, headers, body] = answer;
      return new Response(body, { status, headers });
    },
  };
}
