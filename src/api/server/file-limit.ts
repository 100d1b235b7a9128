/** One file at a time for each client, because a file costs as much as many pages. */
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

  /** Each file occupies a connection, whose number is limited. */
  constructor({ files, exclusive }: Pick<HttpCounts, "files" | "exclusive">) {
    this.#slots = new OriginSlots(Number.POSITIVE_INFINITY, 1, files, exclusive);
  }

  /**
   * Ignores local senders, and requests for a page.
   * @throws ApiError 429 until the former file of the client is sent
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
