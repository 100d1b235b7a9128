import { createServer } from "node:net";
import type { Settings } from "../../config/settings.ts";
import { listenAt } from "../../runtime/listen.ts";
import { type Check, ok, problem, warning } from "./check.ts";

export const API_PORT = "API port";

interface PortToCheck {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly flag: string;
}

/** Omits port 0, which means any free port. */
export function portsOf({
  api,
  monitoring,
  control,
  peers,
}: Pick<Settings, "api" | "monitoring" | "control" | "peers">): PortToCheck[] {
  const { metricsHost, metricsPort } = monitoring;
  const listen = peers?.connections.listen;
  const ports = [
    api.enabled && { name: API_PORT, host: api.host, port: api.port, flag: "--api-port" },
    api.enabled && { name: "Admin port", host: api.adminHost, port: api.adminPort, flag: "--admin-port" },
    { name: "Metrics port", host: metricsHost, port: metricsPort, flag: "--metrics-port" },
    { name: "Control port", host: control.host, port: control.port, flag: "--control-port" },
    listen !== undefined && { name: "P2P port", host: listen.host, port: listen.port, flag: "--p2p-port" },
  ];
  return ports.flatMap((entry) =>
    entry === false || entry.port === undefined || entry.port === 0 ? [] : [{ ...entry, port: entry.port }],
  );
}

/** Tries to listen; returns the error code on failure. */
async function listenFault(host: string, port: number): Promise<string | undefined> {
  const server = createServer((socket) => socket.destroy());
  try {
    await listenAt(server, host, port);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  }
  await new Promise((resolve) => server.close(resolve));
  return undefined;
}

/**
 * @param isRunning undefined: unknown
 * @param nodeListensOn true if the data directory's node listens on the port; undefined: unknown
 */
export async function portCheck(
  { name, host, port, flag }: PortToCheck,
  isRunning: boolean | undefined,
  nodeListensOn: (port: number) => boolean | undefined,
): Promise<Check> {
  const fault = await listenFault(host, port);
  const where = `${port} on ${host}`;
  if (fault === "EADDRINUSE") {
    const isOwnPort = isRunning === false ? false : nodeListensOn(port);
    if (isOwnPort === true) return ok(name, `${where} is in use by this node`);
    if (isOwnPort === undefined) return ok(name, `${where} is in use, probably by this node`);
    return problem(
      name,
      `${where} is in use by another program.`,
      `Stop that program, or choose another port with ${flag}.`,
    );
  }
  if (fault !== undefined)
    return problem(
      name,
      `Cannot listen on port ${where}: ${fault}.`,
      `Use an address of this machine, and a port that this user may open (${flag}).`,
    );
  if (!isRunning) return ok(name, `${where} is free`);
  return warning(
    name,
    `${where} is free, although the node is running.`,
    "Give doctor the settings with which the node was started.",
  );
}
