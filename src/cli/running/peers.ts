import type { Command } from "commander";
import type { Io } from "../io.ts";
import type { NodeFlags } from "./node-connection.ts";
import { addNodeFlags, keyHelp } from "./node-flags.ts";

const actions = () => import("./peers-actions.ts");

export function peersCommand(program: Command, io: Io): void {
  const peers = program.command("peers").description("show and change the peers of a running node");
  addNodeFlags(peers.command("list").description("list the connected peers"))
    .option("--banned", "instead, list banned hosts and the reasons")
    .option("--known", "instead, list known peers that are not banned, at most 1000")
    .option("--json", "print JSON")
    .addHelpText("after", "\nExample:\n  $ holdfast peers list --node http://127.0.0.1:6869\n")
    .action(async (flags: NodeFlags & { banned?: boolean; known?: boolean; json?: boolean }) => {
      io.out(await (await actions()).listPeers(flags, io));
    });
  addNodeFlags(peers.command("connect <ADDRESS>").description("connect to a peer, even to a banned one"))
    .addHelpText(
      "after",
      `\nADDRESS is host:port or [IPv6]:port; the default port is 6863, on every network.\n${keyHelp}\nExample:\n  $ holdfast peers connect node.example.org:6868 --api-key-file key\n`,
    )
    .action(async (address: string, flags: NodeFlags) => {
      io.out(await (await actions()).connectPeer(address, flags, io));
    });
  addNodeFlags(
    peers.command("ban <HOST>").description("ban a host for the time of --black-list-residence-time"),
  )
    .option("--reason <TEXT>", "reason, shown in the list of bans")
    .addHelpText(
      "after",
      `\nHOST is an IP address, a name, or the /64 network of an IPv6 address. A ban of an IPv6 address applies to its\n/64 network. The node closes the connections of the host.\n${keyHelp}\nExample:\n  $ holdfast peers ban 203.0.113.7 --reason "sends spam" --api-key-file key\n`,
    )
    .action(async (host: string, flags: NodeFlags & { reason?: string }) => {
      io.out(await (await actions()).banPeer(host, flags, io));
    });
  addNodeFlags(peers.command("unban <HOST>").description("lift the ban of a host"))
    .addHelpText(
      "after",
      `\nFor an IPv6 address, this lifts the ban of its /64 network.\n${keyHelp}\nExample:\n  $ holdfast peers unban 2001:db8::7 --api-key-file key\n`,
    )
    .action(async (host: string, flags: NodeFlags) => {
      io.out(await (await actions()).unbanPeer(host, flags, io));
    });
}
