import { PlaceholderValues } from "@gatehouse/placeholders";
import { expect, test } from "vitest";
import { knownPlaceholders } from "./placeholders.ts";

test("placeholders that a session's history mentions without a value are reserved", () => {
  const history = [
    { role: "user", content: "I am [Name 1], [Name 3]." },
    { role: "assistant", content: "No [E-Mail 9] here.", tool_calls: [{ function: { arguments: '["[Card 2]"]' } }] },
  ];
  const placeholders = [{ label: "Name 1", value: "Ann" }];
  const known = knownPlaceholders({ history, placeholders });
  const reserved = ["Name 3", "E-Mail 9", "Card 2"].map((label) => ({ label, value: "" }));
  expect(known).toEqual([...placeholders, ...reserved]);
  expect(new PlaceholderValues(known).restore("[Name 1] [Name 3] [E-Mail 9] [Name 99]")).toBe(
    "Ann [Name 3] [E-Mail 9] [Name 99]",
  );
});
