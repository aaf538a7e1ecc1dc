import { createAmazonBedrock } from "@ai-sdk/amazon-bedrock";
import { expect, test } from "vitest";
import { signRequest } from "./sign-request.ts";

test.each([
  ["anthropic.claude-sonnet-4-20250514-v1:0", undefined],
  ["arn:aws:bedrock:eu-central-1:123456789012:inference-profile/eu.nova", "a-session"],
  ["odd model's (1)!*~", undefined],
])("a request to %s has the signature of Amazon's package", async (model, sessionToken) => {
  const key = { accessKeyId: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG", sessionToken };
  const region = "eu-central-1";
  const sent: { readonly url: URL; readonly headers: Headers; readonly body: string }[] = [];
  const fetch: typeof globalThis.fetch = async (input, { headers, body: text } = {}) => {
    if (input instanceof Request || typeof text !== "string") throw new TypeError("a request of another form");
    sent.push({ url: new URL(input), headers: new Headers(headers), body: text });
    return await Promise.resolve(new Response("{}", { status: 400 }));
  };
  const { accessKeyId, secretAccessKey } = key;
  // A proxy in front of Amazon may have a path.
  const baseURL = "https://proxy.example/a+b@c:1,d;e=f";
  const session = sessionToken === undefined ? {} : { sessionToken };
  const bedrock = createAmazonBedrock({ accessKeyId, secretAccessKey, ...session, region, apiKey: "", baseURL, fetch });
  const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "Grüße (1!)" }] }];
  await expect(bedrock(model).doGenerate({ prompt })).rejects.toThrow();
  const [request] = sent;
  if (request === undefined) throw new Error("the package has sent nothing");
  const date = request.headers.get("x-amz-date") ?? "";
  const [, year, month, day, hour, minute, second] = /^(....)(..)(..)T(..)(..)(..)Z$/.exec(date) ?? [];
  const nowMs = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  const { authorization } = signRequest({ key, region, method: "POST", url: request.url, body: request.body, nowMs });
  expect(authorization).toBe(request.headers.get("authorization"));
});
