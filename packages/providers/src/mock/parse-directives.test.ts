import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseDirectives } from "./parse-directives.ts";

describe("parseDirectives", () => {
  it("leaves a message without directives as it is", () => {
    expect(parseDirectives("Hello [[there]] [mock]")).toEqual({
      ok: true,
      text: "Hello [[there]] [mock]",
      directives: {},
    });
  });

  it("removes blocks and reads their values", () => {
    const message = `[[mock delay=500 status=503]] Hi [[mock say="two words" json usage=off]]`;
    expect(parseDirectives(message)).toEqual({
      ok: true,
      text: "Hi",
      directives: { delay: 500, status: 503, say: "two words", json: true, usage: false },
    });
  });

  it("allows brackets and the other quote in quoted text", () => {
    expect(parseDirectives(`[[mock say='{"a": [[1]]}']]`)).toMatchObject({ directives: { say: '{"a": [[1]]}' } });
  });

  it("uses the last of two values", () => {
    expect(parseDirectives("[[mock pace=1]] [[mock pace=2]]")).toMatchObject({ directives: { pace: 2 } });
  });

  it.each([
    ["dealy=1", "unknown directive 'dealy'"],
    ["constructor", "unknown directive 'constructor'"],
    ["delay=soon", "directive 'delay' must be a whole number from 0 to 600000"],
    ["delay", "directive 'delay' must be a whole number from 0 to 600000"],
    ["status=200", "directive 'status' must be a whole number from 400 to 599"],
    ["json=yes", "directive 'json' must be on or off"],
    ["finish=tired", "directive 'finish' must be one of stop, length, content_filter"],
  ])("names the problem of %s", (directive, problem) => {
    expect(parseDirectives(`[[mock ${directive}]]`)).toEqual({ ok: false, problem });
  });

  it("names a block without an end", () => {
    const problem = "a [[mock block without its end";
    for (const message of ["[[mock", "Hi [[mock", "[[mock delay=1", '[[mock say="x]]', "[[mock ".repeat(500_000)]) {
      expect(parseDirectives(message)).toEqual({ ok: false, problem });
    }
  });

  it("reads any message without an exception", () => {
    const part = fc.constantFrom("[[mock ", "]]", "say=", '"', "'", "delay=1 ", "x", " ", "]");
    fc.assert(
      fc.property(fc.array(part, { maxLength: 200 }), (parts) => {
        expect(parseDirectives(parts.join(""))).toHaveProperty("ok");
      }),
    );
  });
});
