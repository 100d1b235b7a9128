import { host, whole } from "../kinds/kinds.ts";
import { optional, withDefault } from "./define-setting.ts";

export const monitoringSettings = {
  metricsPort: optional("metrics-port", whole(0, 65_535, "a port"), {
    basic: true,
    about: "Port of the metrics for Prometheus, at `/metrics`. 0: a free port, which is logged",
    defaultText: "no metrics",
  }),
  metricsHost: withDefault("metrics-host", host, "127.0.0.1", {
    about:
      "Address of the metrics port. The port has no access control: keep it on loopback or a private network",
  }),
} as const;
