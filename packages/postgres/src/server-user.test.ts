import { expect, it } from "vitest";
import { findServerUser } from "./server-user.ts";

it("prefers the user postgres", () => {
  const passwd = "root:x:0:0::/root:/bin/sh\nnobody:x:99:98::/:/bin/false\npostgres:x:101:104::/:/bin/sh\n";
  expect(findServerUser(passwd)).toEqual({ name: "postgres", uid: 101, gid: 104 });
});

it("takes the user nobody if there is no user postgres", () => {
  expect(findServerUser("nobody:x:99:98::/:/bin/false\n")).toEqual({ name: "nobody", uid: 99, gid: 98 });
});

it.each(["", "postgres:x:0:0::/:/bin/sh\n", "nobody:*:-2:-2::/:/bin/false\n"])(
  "never picks root or what is not a number (%j)",
  (passwd) => {
    expect(findServerUser(passwd)).toEqual({ name: "nobody", uid: 65_534, gid: 65_534 });
  },
);
