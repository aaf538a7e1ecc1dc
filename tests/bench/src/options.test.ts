import { describe, expect, it } from "vitest";
import { parseOptions } from "./options.ts";

describe("parseOptions", () => {
  it("runs all scenarios with three rounds of two seconds by default", () => {
    expect(parseOptions([])).toMatchObject({
      scenarios: [],
      rounds: 3,
      cellSeconds: 2,
      seed: 1,
      quick: false,
      topology: "standalone",
    });
  });

  it("accepts scenario names and options in any order, and a package manager's separator", () => {
    const options = parseOptions(["--", "chat", "--rounds", "5", "chat-stream", "--seconds", "0.5"]);
    expect(options).toMatchObject({ scenarios: ["chat", "chat-stream"], rounds: 5, cellSeconds: 0.5 });
  });

  it("lets explicit figures override those of a quick run", () => {
    expect(parseOptions(["--quick"])).toMatchObject({ rounds: 2, cellSeconds: 0.55, quick: true });
    expect(parseOptions(["--quick", "--rounds", "4"])).toMatchObject({ rounds: 4, cellSeconds: 0.55 });
  });

  it.each([
    ["--rounds", "0"],
    ["--rounds", "1.5"],
    ["--rounds", "51"],
    ["--seconds", "61"],
    ["--seconds", "soon"],
    ["--seconds", ""],
    ["--seed", "-1"],
    ["--topology", "monolith"],
    ["--against", "/nowhere"],
  ])("refuses %s %j by name", (name, value) => {
    expect(() => parseOptions([`${name}=${value}`])).toThrow(name);
  });

  it("refuses an unknown option", () => {
    expect(() => parseOptions(["--fast"])).toThrow("--fast");
  });
});
