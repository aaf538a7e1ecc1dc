import { expect, test } from "vitest";
import { ConfigError, EnvReader, readServiceName } from "./index.ts";

test("all problems are reported together, by name and not by value", () => {
  const env = new EnvReader({ PORT: "80o80", MODE: "fastest", KEY: "", URL: "ftp://s3cret@host" });
  env.integer("PORT", { default: 8080, min: 0, max: 65_535 });
  env.oneOf("MODE", ["on", "off"], "on");
  env.requiredSecret("KEY", "make one with `openssl rand -base64 32`");
  env.url("URL", "http://localhost", ["http:", "https:"]);
  try {
    env.finish();
    expect.unreachable();
  } catch (err) {
    expect(err).toBeInstanceOf(ConfigError);
    const { message, problems } = err as ConfigError;
    expect(problems.map((line) => line.split(" ")[0])).toEqual(["PORT", "MODE", "KEY", "URL"]);
    for (const value of ["80o80", "fastest", "s3cret"]) expect(message).not.toContain(value);
  }
});

test("absent and empty variables take their defaults", () => {
  const env = new EnvReader({ PORT: " " });
  expect(env.integer("PORT", { default: 8080, min: 0, max: 65_535 })).toBe(8080);
  expect(env.text("NAME", "Gatehouse")).toBe("Gatehouse");
  expect(env.optionalSecret("KEY")).toBeUndefined();
  env.finish();
});

test.each(["-1", "65536", "1.5", "abc"])("the port %s is refused", (text) => {
  const env = new EnvReader({ PORT: text });
  env.integer("PORT", { default: 1, min: 0, max: 65_535 });
  expect(() => env.finish()).toThrow("PORT must be a whole number from 0 to 65535.");
});

test("a problem that several readers of one variable find is reported once", () => {
  const env = new EnvReader({ EGRESS_ALLOW: "x" });
  env.problem("EGRESS_ALLOW", "has a bad entry");
  env.problem("EGRESS_ALLOW", "has a bad entry");
  expect(() => env.finish()).toThrow("1 problem(s)");
});

test("a number may be bounded by another setting, which its default follows", () => {
  const read = (given: Record<string, string>) => {
    const env = new EnvReader(given);
    const lifeMs = env.integer("LIFE_MS", { default: 12, min: 1, max: 100 });
    const idleMs = env.integer("IDLE_MS", { default: 2, min: 1, max: 100, atMost: { name: "LIFE_MS", value: lifeMs } });
    env.finish();
    return idleMs;
  };
  expect([read({}), read({ IDLE_MS: "12" }), read({ LIFE_MS: "1" })]).toEqual([2, 12, 1]);
  for (const given of [{ IDLE_MS: "13" }, { LIFE_MS: "5", IDLE_MS: "6" }])
    expect(() => read(given)).toThrow("IDLE_MS must be at most LIFE_MS.");
});

test("the service's name is one short line", () => {
  const nameOf = (name: string) => {
    const env = new EnvReader({ SERVICE_NAME: name });
    const read = readServiceName(env);
    env.finish();
    return read;
  };
  expect(nameOf(" Ärzte & Co. ")).toBe("Ärzte & Co.");
  expect(nameOf("")).toBe("Gatehouse");
  for (const name of ["two\nlines", "bell\u0007", "x".repeat(101)])
    expect(() => nameOf(name)).toThrow("SERVICE_NAME must be one line of at most 100 characters.");
});
