import { type Kind, list, path, refuse, secret, text } from "../kinds/kinds.ts";
import { postgresUrl } from "../kinds/postgres-kind.ts";
import { optional, withDefault } from "./define-setting.ts";
import { sourceUrl } from "./following-settings.ts";

export interface NodeAddress {
  readonly host: string;
  readonly port: number;
}

export function nodeAddressText({ host, port }: NodeAddress): string {
  return `tls://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

const nodeAddress: Kind<NodeAddress> = {
  expects: "an address such as tls://10.0.0.5:6871",
  placeholder: "URL",
  read: (value) => {
    const [, bracketed, plain, port] =
      /^tls:\/\/(?:\[([0-9a-fA-F:.]+)\]|([\w.-]{1,253})):(\d{1,5})$/.exec(String(value)) ?? [];
    const host = bracketed ?? plain;
    if (host === undefined || Number(port) < 1 || Number(port) > 65_535)
      return refuse(nodeAddress.expects, value);
    return { host, port: Number(port) };
  },
  write: nodeAddressText,
};

export const gatewaySettings = {
  from: withDefault("from", list(postgresUrl, "URL,..."), [], {
    basic: true,
    about:
      "PostgreSQL databases with the chain, one server or a primary and its replicas. A gateway also reads the network, and " +
      "the settings that answers depend on, from the database",
    defaultText: "none",
  }),
  password: optional("from-password", secret(text("TEXT")), {
    about: "Password of the role in the URLs of --from",
    defaultText: "the variable PGPASSWORD",
  }),
  nodes: withDefault("nodes", list(nodeAddress, "URL,..."), [], {
    basic: true,
    about:
      "Control ports (control-port) of the nodes that a gateway asks for the pool, peers and health, and to which it sends " +
      "transactions and hashes",
    defaultText: "none",
  }),
  token: optional("nodes-token", secret(text("TOKEN", 256)), {
    about: "Token of the control ports (control-token)",
    defaultText: "none",
  }),
  caFile: optional("nodes-ca", path, {
    about: "PEM file of the certificate authority of the control ports, or of their certificate",
    defaultText: "the authorities that Node.js knows",
  }),
  urls: withDefault("nodes-http", list(sourceUrl, "URL,..."), [], {
    about:
      "HTTP interfaces of nodes, to which a gateway forwards requests that control ports do not serve: protected routes and the wallet's addresses",
    defaultText: "none: such requests get status 403",
  }),
} as const;
