import { networkInterfaces } from "node:os";
import { expect, test } from "vitest";
import { createHosts } from "./system-hosts.ts";

test("the last known own addresses are used while the system cannot list them", () => {
  const listed = networkInterfaces();
  const failed: unknown[] = [];
  let isFailing = true;
  const hosts = createHosts(
    (error) => failed.push(error),
    () => {
      if (isFailing) throw new Error("EMFILE");
      return listed;
    },
  );
  expect({ own: hosts.own(), failures: failed.length }).toEqual({ own: [], failures: 1 });
  isFailing = false;
  const known = hosts.own();
  expect(known).toContain("127.0.0.1");
  isFailing = true;
  expect({ own: hosts.own(), failures: failed.length }).toEqual({ own: known, failures: 2 });
});
