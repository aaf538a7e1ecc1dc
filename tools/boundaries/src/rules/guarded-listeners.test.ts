import { expect, test } from "vitest";
import { breachesOf } from "../testing/in-memory-repository.ts";

const path = "packages/clock/src/a.ts";

test.each([
  [`socket.on("data", (bytes) => parse(bytes));`, `listens to "data" without a guard`],
  [`inflate.once("end", parseAll);`, `listens to "end" without a guard`],
  [`server.addListener("upgrade", this.#onUpgrade);`, `listens to "upgrade" without a guard`],
  [`channel.addEventListener("message", ({ data }) => parse(data));`, `listens to "message" without a guard`],
  [`server.on(tls ? "secureConnection" : "close", admit);`, `listens to "secureConnection" without a guard`],
  [`const onData = wrap(parse); socket.on("data", onData);`, `listens to "data" without a guard`],
  [`server.on("clientError", (err, socket) => answer(err, socket));`, `listens to "clientError" without a guard`],
  [`server.on("tlsClientError", end);`, `listens to "tlsClientError" without a guard`],
  [`server.on("checkExpectation", refuse).on("close", end);`, `listens to "checkExpectation" without a guard`],
  [`server.on("checkContinue", refuse);`, `listens to "checkContinue" without a guard`],
  [
    `socket.on("data", guarded(async (bytes) => await parse(bytes), fail));`,
    "guards an async function, whose failure is a rejection that passes the guard",
  ],
  [
    `const onData = guarded(async function (bytes) { await parse(bytes); }, fail);`,
    "guards an async function, whose failure is a rejection that passes the guard",
  ],
  [`class A implements Dispatcher.DispatchHandler {}`, "takes replies from undici by itself"],
])("a listener of foreign bytes may not end the process: %s", (text, problem) => {
  expect(breachesOf("guarded-listeners", { [path]: text })).toEqual([`${path}:1 ${problem}`]);
});

test.each([
  [`socket.on("data", guarded((bytes) => parse(bytes), fail));`],
  [`const onData = guarded(parse, fail); socket.on("data", onData).on("close", fail);`],
  [`socket.once("close", () => {});`],
  [`class A implements Disposable {}`],
])("a listener of foreign bytes may: %s", (text) => {
  expect(breachesOf("guarded-listeners", { [path]: text })).toEqual([]);
});

test("tests and pages of the console are free", () => {
  const text = `socket.on("data", parse);`;
  for (const free of ["packages/clock/src/a.test.ts", "packages/clock/src/testing.ts", "services/console/src/a.ts"]) {
    expect(breachesOf("guarded-listeners", { [free]: text })).toEqual([]);
  }
});
