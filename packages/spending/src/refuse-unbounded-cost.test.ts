import { expect, test } from "vitest";
import { refuseUnboundedCost } from "./refuse-unbounded-cost.ts";

const judge = (part: object) =>
  refuseUnboundedCost([{ role: "user", content: [{ type: "text", text: "Read." }, part] }] as never, {});

test.each([
  { type: "text", text: "Hello" },
  { type: "image_url", image_url: { url: "https://example.com/a.png" } },
  { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0=" } },
])("a part with bounded tokens is accepted: %j", (part) => {
  expect(judge(part)).toBeUndefined();
});

test.each([
  { type: "file", file: { file_id: "file-1" } },
  { type: "file", file: { file_id: "file-1", file_data: "" } },
  { type: "file", file: { file_data: null } },
  { type: "file", file_url: "https://example.com/a.pdf" },
  { type: "document_url", document_url: "https://example.com/a.pdf" },
  { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
  { type: "input_audio", input_audio: { data: "", format: "wav" } },
  { image_url: { url: "https://example.com/a.png" } },
])("a part with unbounded cost is refused: %j", (part) => {
  expect(judge(part)).toMatchObject({ code: "malformed_body" });
});

test.each(["previous_response_id", "cached_content", "vector_store_ids"])(
  "a reference to a text at the provider is refused: %s",
  (name) => {
    expect(refuseUnboundedCost([], { [name]: "x" })).toMatchObject({ code: "malformed_body" });
    expect(refuseUnboundedCost([], { [name]: null })).toBeUndefined();
  },
);
