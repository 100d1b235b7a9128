import { readFileSync } from "node:fs";
import { connectControl } from "../../../api/ports/remote-control.ts";
import { nodeAddressText } from "../../../config/groups/gateway-settings.ts";
import type { Settings } from "../../../config/settings.ts";
import type { Log } from "../../../interfaces.ts";
import { connectPostgres } from "../../../postgres/connection/pg-connection.ts";
import { hostText, parsePostgresUrl, readPassword } from "../../../postgres/connection/postgres-url.ts";
import { PostgresUnitSource } from "../../../postgres/units/postgres-unit-source.ts";
import type { SeenTimelines } from "../../../postgres/units/server-identity.ts";
import { areaLog } from "../../../runtime/area-log.ts";
import { systemClock } from "../../../runtime/system.ts";
import { packageVersion } from "../../version.ts";
import type { FollowedParts } from "../follower-system.ts";
import { NodeLink } from "./node-link.ts";
import { NodePool } from "./node-pool.ts";

/** Calls in progress on a connection. */
const MAX_CALLS = 200;

/** Returns a gateway's databases and nodes. @throws PostgresUrlError; Error for an unreadable file */
export function gatewayParts(
  { gateway: { from, password, nodes, token, caFile } }: Settings,
  log: Log,
  environment: NodeJS.ProcessEnv = process.env,
): FollowedParts {
  const clock = systemClock;
  const seen: SeenTimelines = new Map();
  const sources = from.map((url) => {
    const target = parsePostgresUrl(url);
    const name = `postgres://${target.hosts.map(hostText).join(",")}/${target.database}`;
    const connect = () =>
      connectPostgres(target, {
        clock,
        password: password?.reveal() ?? readPassword(undefined, environment),
        applicationName: `holdfast gateway ${packageVersion()}`,
      });
    return new PostgresUnitSource({ name, connect, clock, seen });
  });
  const ca = caFile === undefined ? undefined : readFileSync(caFile, "utf8");
  const links = nodes.map(
    (address) =>
      new NodeLink({
        name: nodeAddressText(address),
        clock,
        connect: (callTimeoutMs) =>
          connectControl({
            ...address,
            ca,
            clock,
            log: areaLog(log, "api"),
            // `config/load.ts` requires a token.
            token: token?.reveal() ?? "",
            limits: { maxCalls: MAX_CALLS, timeoutMs: callTimeoutMs },
          }),
      }),
  );
  return { sources, setting: "--from", nodes: new NodePool(links, clock) };
}
