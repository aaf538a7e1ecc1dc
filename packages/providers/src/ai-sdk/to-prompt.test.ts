import { describe, expect, it } from "vitest";
import { toPrompt } from "./to-prompt.ts";

const user = (part: object) => [{ role: "user", content: [part] }];

describe("toPrompt", () => {
  it("passes the address of an image on without fetching it", () => {
    const image = { type: "image_url", image_url: { url: "https://example.com/a.png", detail: "low" } };
    expect(toPrompt(user(image), "acme")).toEqual([
      {
        role: "user",
        content: [
          { type: "file", mediaType: "image/*", data: { type: "url", url: new URL("https://example.com/a.png") } },
        ],
      },
    ]);
  });

  it("accepts audio and files", () => {
    const audio = { type: "input_audio", input_audio: { data: "AAAA", format: "mp3" } };
    const file = { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0=" } };
    expect(toPrompt([...user(audio), ...user(file)], "acme")).toMatchObject([
      { content: [{ mediaType: "audio/mpeg", data: { type: "data", data: "AAAA" } }] },
      { content: [{ mediaType: "application/pdf", filename: "a.pdf", data: { type: "data", data: "JVBERi0=" } }] },
    ]);
  });

  it("leaves empty text out, which providers refuse", () => {
    expect(toPrompt([{ role: "assistant", content: "" }], "acme")).toEqual([{ role: "assistant", content: [] }]);
  });

  it("names each tool's result by the call that asked for it", () => {
    const call = (id: string, name: string) => ({ id, type: "function", function: { name, arguments: "{}" } });
    const prompt = toPrompt(
      [
        { role: "assistant", content: "wait", tool_calls: [call("1", "a"), call("2", "b")] },
        { role: "tool", tool_call_id: "2", content: [{ type: "text", text: "two" }] },
        { role: "tool", tool_call_id: "1", content: "one" },
      ],
      "acme",
    );
    expect(prompt.slice(1)).toMatchObject([
      { content: [{ toolCallId: "2", toolName: "b", output: { type: "text", value: "two" } }] },
      { content: [{ toolCallId: "1", toolName: "a", output: { type: "text", value: "one" } }] },
    ]);
  });

  it.each([
    [
      { type: "image_url", image_url: { url: "file:///etc/passwd" } },
      "has an image whose url is neither http nor data",
    ],
    [{ type: "image_url", image_url: {} }, "has an image without a url"],
    [{ type: "image_url", image_url: { url: "data:image/png,raw" } }, "has an image whose data URL is not base64"],
    [{ type: "input_audio", input_audio: { data: "AAAA", format: "midi" } }, "has audio without data in wav or mp3"],
    [{ type: "file", file: { file_id: "file-1" } }, "has a file without file_data as a base64 data URL"],
    [{ type: "text", text: 7 }, "has a part of type 'text' where only text is allowed"],
  ])("refuses the part %j", (part, problem) => {
    expect(() => toPrompt(user(part), "acme")).toThrow(`acme does not accept this request: message 1 ${problem}`);
  });
});
