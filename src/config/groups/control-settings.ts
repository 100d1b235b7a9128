import { host, path, secret, text, whole } from "../kinds/kinds.ts";
import { optional, withDefault } from "./define-setting.ts";

/** Shorter tokens could be guessed. */
export const MIN_CONTROL_TOKEN_LENGTH = 32;

export const controlSettings = {
  port: optional("control-port", whole(0, 65_535, "a port"), {
    about:
      "Port on which gateways call the node over TLS: pool, broadcasts, hashes to anchor, peers and state, but neither wallet nor administration. Needs the other settings of this group. 0: a free port, which is logged",
    defaultText: "none",
  }),
  host: withDefault("control-host", host, "127.0.0.1", { about: "Address of the control port" }),
  certificate: optional("control-certificate", path, {
    about: "PEM file with the certificate of the control port, and those of its authorities",
    defaultText: "none",
  }),
  certificateKey: optional("control-certificate-key", path, {
    about: "PEM file with the private key of control-certificate",
    defaultText: "none",
  }),
  token: optional("control-token", secret(text("TOKEN", 256)), {
    about: `Token that gateways must send first, at least ${MIN_CONTROL_TOKEN_LENGTH} characters. A client with this token can anchor hashes, which spends from the wallet`,
    defaultText: "none",
  }),
} as const;
