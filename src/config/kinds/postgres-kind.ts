import { PostgresUrlError, parsePostgresUrl } from "../../postgres/connection/postgres-url.ts";
import { InvalidValueError, type Kind, refuse } from "./kinds.ts";

/** Address of a database, without a password: `postgres://USER@HOST:PORT/DATABASE`. */
export const postgresUrl: Kind<string> = {
  expects: "an address such as postgres://writer@10.0.0.5/chain, without a password",
  placeholder: "URL",
  read: (value) => {
    if (typeof value !== "string") return refuse(postgresUrl.expects, value);
    try {
      parsePostgresUrl(value);
    } catch (error) {
      // The message contains no part of a password.
      if (error instanceof PostgresUrlError) throw new InvalidValueError(error.message);
      throw error;
    }
    return value;
  },
  write: (value) => value,
};
