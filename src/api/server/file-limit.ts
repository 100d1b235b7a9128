/** Limits each client to one file at a time: a file is as expensive as many pages. */
import type { FastifyReply } from "fastify";
import { isLocal, type Sender } from "../../http/access/proxies.ts";
import type { HttpCounts } from "../../http/counts.ts";
import { apiError } from "../../http/errors.ts";
import { OriginSlots } from "../../runtime/origin-slots.ts";
import { formatParameter } from "../lists/tables.ts";
import type { Call, Route } from "../route.ts";

const RETRY_SECONDS = 1;

export class FileLimit {
  readonly #slots: OriginSlots;

  /** No total limit: connections are limited, and each file occupies one. */
  constructor({ files, runExclusively }: Pick<HttpCounts, "files" | "runExclusively">) {
    this.#slots = new OriginSlots(Number.POSITIVE_INFINITY, 1, files, runExclusively);
  }

  /**
   * Local senders and requests for a page are exempt.
   * @throws ApiError 429 while the client downloads another file
   */
  check(route: Route, call: Call, sender: Sender, reply: FastifyReply): void {
    const isFile =
      route.request?.query?.format === formatParameter.format && call.query("format") !== undefined;
    if (!isFile || isLocal(sender)) return;
    const release = this.#slots.take(sender.address);
    if (release === undefined) {
      reply.header("retry-after", RETRY_SECONDS);
      throw apiError("fileInProgress", "files");
    }
    reply.raw.once("close", release);
  }
}
