import { createArgumentsCheck, object } from "@gatehouse/admin";
import { expect, test } from "vitest";
import { endpoint } from "../domain/endpoint-fields.ts";
import { provider } from "./provider.ts";

const checkProvider = createArgumentsCheck(object(provider.updateInput));
const checkEndpoint = createArgumentsCheck(object(endpoint.updateInput));

test.each([
  ["http://", "base_url must be an http or https URL"],
  ["http://[", "base_url must be an http or https URL"],
  ["https://a:b@c.example", "base_url must not have credentials"],
  ["https://c.example#x", "base_url must not have a fragment"],
])("a provider may not be at %s: %s", (url, message) => {
  expect(() => checkProvider({ base_url: url })).toThrow(message);
});

test.each<[string, Record<string, unknown>]>([
  ["parameters must not contain 'stream': the gateway sets it", { parameters: { temperature: 1, stream: true } }],
  ["allowed_parameters must not contain 'model': the gateway sets it", { allowed_parameters: ["models", "model"] }],
])("%s", (message, change) => {
  expect(() => checkEndpoint(change)).toThrow(message);
});

test("parameters that callers may set are accepted, and null removes them", () => {
  const change = { parameters: { temperature: 1 }, allowed_parameters: ["models"] };
  expect(checkEndpoint(change)).toEqual(change);
  expect(checkEndpoint({ parameters: null, allowed_parameters: null })).toEqual({
    parameters: null,
    allowed_parameters: null,
  });
});
