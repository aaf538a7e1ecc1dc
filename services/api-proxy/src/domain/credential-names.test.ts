import { expect, test } from "vitest";
import { CredentialNames } from "./credential-names.ts";

test.each([
  ["X-Api-Key", "?api_key=a&x=1", "?x=1"],
  ["X-Api-Key", "?x-api-key=a", ""],
  ["X-Api-Key", "?x=1&%61pi_key=a;APIKEY=b&y=2", "?x=1&y=2"],
  ["X-Api-Key", "?api.key=a&api_key[]=b&z", "?z"],
  ["X-Api-Key", "?key=a&api=b", "?key=a&api=b"],
  ["x-goog-api-key", "?key=a&q=1", "?q=1"],
  ["Authorization", "?access_token=a&authorization=b&q=1", "?q=1"],
  ["X-Tenant-Token", "?tenant_token=a&token=b", "?token=b"],
  ["X-Api-Key", "?a=1;b=2", "?a=1;b=2"],
  ["X-Api-Key", "?", "?"],
  [undefined, "?api_key=a", "?api_key=a"],
])("beside %s, the query %s reaches the upstream as %s", (header, query, expected) => {
  expect(new CredentialNames(header).withoutThem(query)).toBe(expected);
});
