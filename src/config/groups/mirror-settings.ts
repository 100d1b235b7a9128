import { secret, text } from "../kinds/kinds.ts";
import { postgresUrl } from "../kinds/postgres-kind.ts";
import { optional } from "./define-setting.ts";

export const mirrorSettings = {
  to: optional("mirror-to", postgresUrl, {
    about:
      "PostgreSQL database into which a thread of the node copies the chain. It needs the tables of `holdfast mirror migrate`",
    defaultText: "none",
  }),
  password: optional("mirror-password", secret(text("TEXT")), {
    about: "Password of the role in the address of --mirror-to",
    defaultText: "the variable PGPASSWORD",
  }),
} as const;
