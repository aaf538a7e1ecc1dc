import { expect, test } from "vitest";
import type { LogEntry } from "./log-entry.ts";
import { keysOfEntry, keysOfSearch, type SearchedFields } from "./log-keys.ts";

const entry: LogEntry = {
  at_ms: 0,
  request_id: "r",
  project_uuid: "0B2F7B8E-3C57-4A6D-9F1E-0123456789AB",
  endpoint_uuid: "1b2f7b8e-3c57-4a6d-9f1e-0123456789ab",
  token_id: 7,
  user_name: "ann",
  route: "chat_direct",
  status: 404,
  error: "Unknown model",
  duration_ms: 1,
  provider: "openai",
  model: "m".repeat(500),
  attempts: 1,
};

const fits: SearchedFields[] = [
  {},
  { projectUuid: "0b2f7b8e-3c57-4a6d-9f1e-0123456789ab" },
  { endpointUuid: "1B2F7B8E-3c57-4a6d-9f1e-0123456789ab" },
  { tokenId: 7, user: "ann" },
  { route: "chat_direct", provider: "openai", model: "m".repeat(500) },
  { status: { first: 404, last: 404 } },
  { status: { first: 400, last: 499 } },
  { error: "unknown" },
  { projectUuid: "0b2f7b8e-3c57-4a6d-9f1e-0123456789ab", status: { first: 404, last: 404 } },
  { projectUuid: "0b2f7b8e-3c57-4a6d-9f1e-0123456789ab", status: { first: 400, last: 499 } },
];

test.each(fits)("a block with an entry that matches %o has all keys of the search", (fields) => {
  expect(keysOfEntry(entry)).toEqual(expect.arrayContaining([...keysOfSearch(fields)]));
});

test.each<SearchedFields>([
  { projectUuid: "1b2f7b8e-3c57-4a6d-9f1e-0123456789ab" },
  { tokenId: 8 },
  { user: "openai" },
  { status: { first: 500, last: 599 } },
])("a search for %o skips a block without a match", (fields) => {
  for (const key of keysOfSearch(fields)) expect(keysOfEntry(entry)).not.toContain(key);
});

test("a search for a project's failures skips a block with failures of another project", () => {
  const [shop, store] = ["0b2f7b8e-3c57-4a6d-9f1e-0123456789ab", "1b2f7b8e-3c57-4a6d-9f1e-0123456789ab"];
  const block = [
    { ...entry, project_uuid: shop, status: 200 },
    { ...entry, project_uuid: store, status: 502 },
  ].flatMap(keysOfEntry);
  const status = { first: 500, last: 599 };
  expect(block).toEqual(expect.arrayContaining([...keysOfSearch({ projectUuid: store, status })]));
  expect(block).not.toEqual(expect.arrayContaining([...keysOfSearch({ projectUuid: shop, status })]));
});
