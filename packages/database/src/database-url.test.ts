import { Secret } from "@gatehouse/vault";
import { expect, test } from "vitest";
import { findDatabaseUrlProblem } from "./database-url.ts";

test.each([
  "postgresql://user:p%23ss@db:5432/gatehouse",
  "postgres://user@[::1]/gatehouse?sslmode=verify-full",
  "PostgreSQL://user:password@db/gatehouse",
  "postgresql:///gatehouse?host=/var/run/postgresql",
  "/var/run/postgresql gatehouse",
  "socket:/var/run/postgresql?db=gatehouse",
])("%s can be opened", (url) => {
  expect(findDatabaseUrlProblem(new Secret(url))).toBeUndefined();
});

test.each([
  ["no scheme", "db:5432/gatehouse"],
  ["a scheme without its colon", "postgresql//user:password@db/gatehouse"],
  ["one slash", "postgresql:/user:password@db/gatehouse"],
  ["the quotation marks of a file of variables", '"postgresql://user:password@db/gatehouse"'],
  ["words and values, as of libpq", "host=db user=user password=password dbname=gatehouse"],
  ["Java's form", "jdbc:postgresql://db:5432/gatehouse"],
  ["another database's scheme", "mysql://user:password@db:3306/gatehouse"],
  ["a bare name", "gatehouse"],
  ["two hosts", "postgresql://user:password@one:5432,two:5432/gatehouse"],
  ["a # in the password", "postgresql://user:pass#word@db/gatehouse"],
])("a URL with %s is refused, without its password", (_mistake, url) => {
  const problem = findDatabaseUrlProblem(new Secret(url));
  expect(problem).toMatch(/^must be a URL such as postgresql:\/\/user:password@host:5432\/database/);
});

test("an sslmode that does not exist is refused, without the password", () => {
  for (const mode of ["disable", "allow", "prefer", "require", "verify-ca", "verify-full", "no-verify"])
    expect(findDatabaseUrlProblem(new Secret(`postgresql://user:p@db/gatehouse?sslmode=${mode}`))).toBeUndefined();
  expect(findDatabaseUrlProblem(new Secret("postgresql://user:p@db/gatehouse?sslmode=verify_full"))).toMatch(
    /^has an unknown sslmode; use verify-full/,
  );
});
