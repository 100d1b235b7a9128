import { MessageChannel } from "node:worker_threads";
import { answerControl } from "../../api/ports/control-port.ts";
import { announceCommits } from "../../api/ports/events-port.ts";
import { serveOnPort } from "../../api/server/serve-on-port.ts";
import { type ApiLauncher, apiInfo, listenOptions, urlOf } from "../api/api.ts";
import { tickReader } from "../api/tick-reader.ts";
import { readerContext } from "../composition.ts";

/** Serves the API in the caller's thread, for tests, which run the sources without a build. */
export function startApiInline(): ApiLauncher {
  return {
    async serve({ settings, rules, trust, store, control, queue, events, clock, log, ...more }) {
      const { namedKeys, followState } = more;
      const { port1, port2 } = new MessageChannel();
      answerControl(port1, control, clock, queue);
      const commits = new MessageChannel();
      const stopAnnouncing = announceCommits(commits.port1, events);
      const server = await serveOnPort({
        port: port2,
        events: commits.port2,
        reader: tickReader(store, readerContext(settings, rules, trust)),
        info: apiInfo(settings, { store: store.id, trustRoot: trust.root }, { followState }),
        namedKeys,
        clock,
        log,
        ...listenOptions(settings),
        requestLog: settings.api.requestLog ? log : undefined,
      });
      let end: () => void = () => {};
      const ended = new Promise<void>((resolve) => {
        end = resolve;
      });
      return {
        url: urlOf(settings.api.host, server.apiPort, settings.api.prefix),
        port: server.apiPort,
        adminPort: server.adminPort,
        ended,
        close: async () => {
          await server.close();
          stopAnnouncing();
          port1.close();
          commits.port1.close();
          end();
        },
      };
    },
    async abandon() {},
  };
}
