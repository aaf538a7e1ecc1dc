import { expect, it } from "vitest";
import { toFolderError, toStartError } from "./postgres-error.ts";

const outputs = [
  ['FATAL:  could not write to file "pg_wal/xlogtemp.31": No space left on device', "disk-full"],
  ['LOG:  could not bind IPv4 address "127.0.0.1": Address already in use', "port-taken"],
  ["FATAL:  pre-existing shared memory block (key 1, ID 2) is still in use", "in-use"],
  ['FATAL:  lock file "postmaster.pid" already exists', "in-use"],
  ['FATAL:  could not open file "x": Permission denied', "folder-not-writable"],
  ["FATAL:  something new", "start-failed"],
] as const;

it.each(outputs)("reads %j as %s", (output, code) => {
  expect(toStartError(output, "/data").code).toBe(code);
});

it("shows the end of what the server said when it does not know it", () => {
  expect(toStartError("FATAL:  something new", "/data").message).toContain("something new");
});

it.each([
  ["EACCES", "folder-not-writable"],
  ["EROFS", "folder-not-writable"],
  ["ENOSPC", "disk-full"],
  ["EMFILE", "start-failed"],
])("turns the system error %s into %s and names the path", (reason, code) => {
  const err = toFolderError(Object.assign(new Error(reason), { code: reason }), "/data");
  expect(err.code).toBe(code);
  expect(err.message).toContain("/data");
});
