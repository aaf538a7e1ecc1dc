import fc from "fast-check";
import mustache from "mustache";
import { expect, test } from "vitest";
import { compilePromptTemplate, inPromptOrder } from "./prompt-template.ts";

test("variables are inserted without escaping", () => {
  const template = compilePromptTemplate("Help {{name}} with {{{topic}}} & {{& n}}.{{! a note }}", "system_prompt");
  expect(template({ name: "<Ann>", topic: '"x"', n: 3 })).toEqual({ ok: true, text: 'Help <Ann> with "x" & 3.' });
});

test("the first missing variable is named", () => {
  expect(compilePromptTemplate("{{a}} {{b}}", "p")({ a: "x" })).toEqual({ ok: false, missing: "b" });
  expect(compilePromptTemplate("{{toString}}", "p")({})).toEqual({ ok: false, missing: "toString" });
});

test.each([
  "Hi {{}}",
  "Hi {{ }} there",
  "{{{}}}",
  "{{#if}}x{{/if}}",
  "{{> partial}}",
  "{{=<% %>=}}",
  "{{open",
  "{{#a}}",
  "{{^a}}x{{/a}}",
])("%s is refused when the endpoint is saved", (source) => {
  expect(() => compilePromptTemplate(source, "system_prompt")).toThrow("system_prompt is not a usable template");
});

test("a prompt without tags passes unchanged, and a value is never read as a template", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      if (!text.includes("{{")) expect(compilePromptTemplate(text, "p")({})).toEqual({ ok: true, text });
      expect(compilePromptTemplate("{{v}}", "p")({ v: text })).toEqual({ ok: true, text });
    }),
  );
});

test("the package does not keep a template that is no longer used", () => {
  const source = "Only {{once}}.";
  const key = [source, ...mustache.tags].join(":");
  mustache.parse(source);
  expect(mustache.templateCache?.get(key)).toBeDefined();
  mustache.clearCache();
  compilePromptTemplate(source, "p");
  expect(mustache.templateCache?.get(key)).toBeUndefined();
});

test("variables get the order of the prompt, with those that it does not have last", () => {
  const { names } = compilePromptTemplate("{{b}} {{a}}, {{! note }}{{b}}{{__proto__}}{{gone}}", "p");
  expect(names).toEqual(["b", "a", "__proto__", "gone"]);
  const given = JSON.parse('{"a":"1","x":2,"b":"","y":true,"__proto__":"p"}') as Record<string, string>;
  expect(Object.entries(inPromptOrder(given, names))).toEqual([
    ["b", ""],
    ["a", "1"],
    ["__proto__", "p"],
    ["x", 2],
    ["y", true],
  ]);
  expect(inPromptOrder(given, ["a"])).toBe(given);
});
