import { afterEach, expect, test, vi } from "vitest";
import { snippetsFor } from "./snippets.ts";

afterEach(() => void vi.unstubAllGlobals());

test.each(["ai_gateway", "ai_wrapper"] as const)(
  "%s says what a user of the Anthropic SDK does instead",
  (project_type) => {
    vi.stubGlobal("location", { origin: "https://gate.example" });
    const snippets = snippetsFor({ uuid: "u", project_type }, "token");
    const anthropic = snippets.find(({ title }) => title === "Anthropic SDK");
    expect(anthropic?.note).toContain("create an API Gateway project with an endpoint for https://api.anthropic.com");
    expect(anthropic?.note).toContain(project_type === "ai_wrapper" ? "Use an OpenAI SDK" : "as the curl line does");
  },
);
