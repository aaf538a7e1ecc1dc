import { GatewayError } from "@gatehouse/errors";
import { expect, test } from "vitest";
import { isDatabaseAway, isDatabaseUnavailable, isRefusedData, toDatabaseError, violatedIndex } from "./errors.ts";

const errorWith = (fields: object, message = "m") => Object.assign(new Error(message), fields);
const adapterError = (code: string, cause: object) => errorWith({ code, meta: { driverAdapterError: { cause } } });

// Recorded from Prisma 7.10 and pg 8.23 while a Postgres 18 was stopped.
test.each([
  ["refused connection", errorWith({ code: "ECONNREFUSED" })],
  ["statement in flight when the server stops", errorWith({ code: "57P01" })],
  ["server that is starting", errorWith({ code: "57P03" })],
  ["server that has become a standby", errorWith({ code: "25006" })],
  ["full server", errorWith({ code: "53300" })],
  ["full disk", errorWith({ code: "53100" })],
  ["session that cannot begin on a full disk", errorWith({ code: "XX000" }, "could not write init file")],
  ["deadlock with another transaction", errorWith({ code: "40P01" })],
  ["transaction that waited for a row for too long", errorWith({ code: "P2028" })],
  ["full pool", new Error("timeout exceeded when trying to connect")],
  ["lost connection", new Error("Connection terminated unexpectedly")],
  ["query of a pool that is closing", new Error("Cannot use a pool after calling end on the pool")],
  ["statement on a lost connection", new Error("Client has encountered a connection error and is not queryable")],
  ["Prisma query", adapterError("P1001", { kind: "DatabaseNotReachable", host: "127.0.0.1", port: 5432 })],
  ["Prisma raw query", adapterError("P2010", { kind: "DatabaseNotReachable", host: "127.0.0.1", port: 5432 })],
  ["Prisma raw query in flight", adapterError("P2010", { kind: "postgres", originalCode: "57P01", code: "57P01" })],
  ["cause of another error", new Error("outer", { cause: errorWith({ code: "ECONNRESET" }) })],
])("a %s means that the database is unavailable", (_name, err) => {
  expect(isDatabaseUnavailable(err)).toBe(true);
  expect(toDatabaseError(err)).toMatchObject({ code: "unavailable", retryAfterSeconds: 1, cause: err });
});

test.each([
  ["unique violation", errorWith({ code: "23505" })],
  ["syntax error", errorWith({ code: "42601" })],
  ["Prisma unique violation", adapterError("P2002", { kind: "UniqueConstraintViolation", originalCode: "23505" })],
  ["refusal of ours", new GatewayError("not_found", "No such thing.")],
  ["thrown text", "ECONNREFUSED"],
  ["nothing", undefined],
])("a %s does not mean that the database is unavailable, and is unchanged", (_name, err) => {
  expect(isDatabaseUnavailable(err)).toBe(false);
  expect(toDatabaseError(err)).toBe(err);
});

test.each([
  ["table", errorWith({ code: "42P01" })],
  ["key of an upsert", errorWith({ code: "42P10" })],
  ["right", errorWith({ code: "42501" })],
  ["Prisma's table", errorWith({ code: "P2021" })],
  ["Prisma's column", adapterError("P2022", { kind: "ColumnNotFound", column: "value", originalCode: "42703" })],
  ["function", adapterError("P2010", { kind: "postgres", originalCode: "42883", code: "42883" })],
])("a missing %s makes the database unavailable to a caller, and does not let a start wait for it", (_name, err) => {
  expect(isDatabaseUnavailable(err)).toBe(true);
  expect(isDatabaseAway(err)).toBe(false);
  expect(toDatabaseError(err)).toMatchObject({ code: "unavailable", retryAfterSeconds: 1, cause: err });
});

test("a statement that took too long is unavailable to its caller, and says nothing about the database", () => {
  const err = errorWith({ code: "57014" });
  expect(isDatabaseUnavailable(err)).toBe(false);
  expect(toDatabaseError(err)).toMatchObject({ code: "unavailable", retryAfterSeconds: 1, cause: err });
});

test.each([
  ["number out of range", errorWith({ code: "22003" }), true],
  ["unique violation", errorWith({ code: "23505" }), true],
  ["Prisma raw query", adapterError("P2010", { kind: "postgres", originalCode: "22P05", code: "22P05" }), true],
  ["cause of another error", new Error("outer", { cause: errorWith({ code: "22021" }) }), true],
  ["text that is too long for an index", errorWith({ code: "54000" }), true],
  ["statement that took too long", errorWith({ code: "57014" }), false],
  ["refused connection", errorWith({ code: "ECONNREFUSED" }), false],
  ["syntax error", errorWith({ code: "42601" }), false],
  ["nothing", undefined, false],
])("an error is a refusal of data or not: %s", (_name, err, expected) => {
  expect(isRefusedData(err)).toBe(expected);
});

test("an error that is its own cause does not hang", () => {
  const err = new Error("m");
  err.cause = err;
  expect(isDatabaseUnavailable(err)).toBe(false);
});

test("the violated index is read from Prisma's error P2002 alone", () => {
  const constraint = (value: object) => ({ kind: "UniqueConstraintViolation", constraint: value });
  expect(violatedIndex(adapterError("P2002", constraint({ index: "providers_name_key" })))).toBe("providers_name_key");
  expect(violatedIndex(adapterError("P2002", constraint({ fields: ["a", "b"] })))).toBe("a,b");
  expect(violatedIndex(adapterError("P2003", constraint({ index: "x" })))).toBeUndefined();
  expect(violatedIndex(errorWith({ code: "P2002" }))).toBeUndefined();
  expect(violatedIndex(undefined)).toBeUndefined();
});
