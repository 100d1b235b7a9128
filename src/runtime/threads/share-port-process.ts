import { createServer } from "node:net";
import { handleOf, INHERITED_FD } from "./share-port.ts";

const server = createServer();
server.once("error", (error) => {
  process.stderr.write(error.message);
  process.exit(1);
});
server.listen({ fd: INHERITED_FD });
// If the server does not listen, the event `error` follows.
if (server.listening) {
  // The types allow no bare handle.
  process.send?.("port", handleOf(server) as never);
  process.exit();
}
