/** A local proxy that removes a path prefix. */
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface Proxy {
  /** `http://127.0.0.1:<port><prefix>`. */
  readonly url: string;
  close(): void;
}

/**
 * Starts the proxy.
 * @param prefix "/a/b", which the proxy removes; other paths get 404
 * @param target `http://127.0.0.1:<port>`
 */
export async function startProxy(prefix: string, target: string): Promise<Proxy> {
  const server: Server = createServer((incoming, answer) => {
    const path = incoming.url ?? "/";
    if (!path.startsWith(`${prefix}/`)) {
      answer.writeHead(404).end("Nothing here");
      return;
    }
    const { method, headers } = incoming;
    const asked = request(target + path.slice(prefix.length), { method, headers }, (answered) => {
      answer.writeHead(answered.statusCode ?? 502, answered.headers);
      answered.pipe(answer);
    });
    asked.on("error", () => answer.destroy());
    answer.on("close", () => asked.destroy());
    incoming.pipe(asked);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
