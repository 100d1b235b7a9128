import { expect, test } from "vitest";
import { sqlErrorOf } from "./sql-error.ts";

test("a refused write says what to do at a replica, and at a primary that is read-only", () => {
  const refused = Object.assign(new Error("cannot execute INSERT in a read-only transaction"), {
    code: "25006",
  });
  const error = sqlErrorOf(refused, "db:5432");
  expect(error.kind).toBe("read-only");
  expect(error.message).toContain("PostgreSQL at db:5432: cannot execute INSERT in a read-only transaction");
  expect(error.message).toContain("connect to the primary");
  expect(error.message).toContain("turn off default_transaction_read_only");
});

test("a server without memory is not one without disk space", () => {
  const error = sqlErrorOf(Object.assign(new Error("out of memory"), { code: "53200" }), "db:5432");
  expect(error.kind).toBe("too little memory");
  expect(error.message).toContain("give the server more memory");
});
