import { compilePromptTemplate } from "@gatehouse/dialects";
import { expect, test } from "vitest";
import type { Read } from "../call.ts";
import { createContentStep } from "./content.ts";

test("variables are judged in the order in which the prompt brings them together", async () => {
  const call = {
    compiled: { renderPrompt: compilePromptTemplate("About {{first}} {{last}}", "system_prompt") },
    request: { messages: [], variables: { last: "Falcon", x: "y", first: "Project" } },
  };
  const { request } = (await createContentStep().enter(call as never)) as Pick<Read, "request">;
  expect(Object.values(request.variables)).toEqual(["Project", "Falcon", "y"]);
});
