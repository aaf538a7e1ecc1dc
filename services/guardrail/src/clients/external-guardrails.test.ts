import { Secret } from "@gatehouse/vault";
import { expect, test } from "vitest";
import type { ExternalDocument } from "../domain/external/external-document.ts";
import { createAskExternal, describeFailure } from "./external-guardrails.ts";

const place = { projectUuid: "p", endpointUuid: "", signal: new AbortController().signal };
const texts = { side: "input", texts: [{ role: "user", text: "hello" }] } as const;
const external: ExternalDocument = {
  name: "judge",
  kind: "llm_judge",
  url: "https://guard.example/",
  sides: ["input"],
  when: "before",
  mode: "block",
  timeout_ms: 1_000,
  on_failure: "closed",
  secret_id: "id",
};

test("a secret that is not a valid header value is not in the reason of the failure", async () => {
  const ask = createAskExternal({
    fetch: async (input, init) => {
      const { method } = new Request(input, init);
      return await Promise.resolve(new Response(JSON.stringify({ method })));
    },
    guard: { readForm: (url) => new URL(url) },
    readSecret: async () => await Promise.resolve(new Secret("hunter2\nhunter3")),
    wallNow: () => 0,
  });
  const outcome = await ask(external, texts, place);
  expect(outcome.action).toBe("failed");
  const reason = describeFailure("cause" in outcome ? outcome.cause : undefined);
  expect(reason).toContain("cannot be sent");
  expect(reason).not.toContain("hunter");
});
