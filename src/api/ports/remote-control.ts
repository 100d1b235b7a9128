/** `NodeControl` for callers on other machines, over TLS with a token (`runtime/remote/`). */
import type { ControlTopic } from "../../control/define.ts";
import { controlTopics, type NodeControl, type NodeControlHandlers } from "../../control/index.ts";
import type { Clock, Log } from "../../interfaces.ts";
import { type FrameConnection, openRemoteCalls, serveRemoteCalls } from "../../runtime/remote/remote-rpc.ts";
import { connectForFrames, listenForFrames } from "../../runtime/remote/tls-frames.ts";
import type { RpcCalls, RpcLimits } from "../../runtime/rpc.ts";
import type { TaskQueue } from "../../runtime/time-sliced-queue.ts";

/** The other end closes connections with more than `MAX_CALLS` (`remote-rpc.ts`) calls in progress. */
const REMOTE_LIMITS: RpcLimits = { maxCalls: 200, timeoutMs: 20_000 };

const allTopics: Readonly<Record<string, ControlTopic>> = controlTopics;

export const remoteTopics: Readonly<Record<string, ControlTopic>> = Object.fromEntries(
  Object.entries(allTopics).map(([topic, methods]) => [
    topic,
    Object.fromEntries(
      Object.entries(methods).filter(([, { maxRemoteArguments }]) => maxRemoteArguments !== undefined),
    ),
  ]),
);

interface ServedControl {
  readonly control: NodeControlHandlers;
  /** At most 256 bytes of UTF-8. */
  readonly token: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly queue?: TaskQueue | undefined;
}

export function serveControlOnConnection(
  connection: FrameConnection,
  { control, ...served }: ServedControl,
): void {
  serveRemoteCalls(connection, { ...served, topics: remoteTopics, calls: control as unknown as RpcCalls });
}

interface ListenOptions extends ServedControl {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Certificate and private key in PEM. */
  readonly certificate: string;
  readonly key: string;
}

/** @throws like `listenForFrames` */
export function listenForControl(
  options: ListenOptions,
): Promise<{ readonly port: number; close(): Promise<void> }> {
  return listenForFrames({
    ...options,
    onConnection: (connection) => serveControlOnConnection(connection, options),
  });
}

interface CallerOptions {
  readonly token: string;
  readonly clock: Clock;
  readonly limits?: RpcLimits | undefined;
}

/**
 * Calls reject with `UnavailableError` like those of `controlOverPort`; on a closed connection, the reason is
 * `closing`. Methods without `maxRemoteArguments` always reject.
 * @throws RemoteControlError if the other end refuses the token or speaks another version
 */
export async function controlOnConnection(
  connection: FrameConnection,
  { token, clock, limits = REMOTE_LIMITS }: CallerOptions,
): Promise<NodeControl> {
  const calls = await openRemoteCalls(connection, { token, topics: remoteTopics, clock, limits });
  const refuse = () => Promise.reject(new Error("This method is not for callers on other machines"));
  const complete = Object.entries(allTopics).map(([topic, methods]) => [
    topic,
    Object.fromEntries(Object.keys(methods).map((name) => [name, calls[topic][name] ?? refuse])),
  ]);
  return Object.fromEntries(complete) as unknown as NodeControl;
}

interface ConnectOptions extends CallerOptions {
  readonly log: Log;
  readonly host: string;
  readonly port: number;
  /** Certificate authorities in PEM; default: those of Node.js. */
  readonly ca?: string | undefined;
}

/** @throws RemoteControlError */
export async function connectControl(
  options: ConnectOptions,
): Promise<{ readonly control: NodeControl; close(): void }> {
  const connection = await connectForFrames(options);
  const control = await controlOnConnection(connection, options);
  return { control, close: () => connection.close() };
}
