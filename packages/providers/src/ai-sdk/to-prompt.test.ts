import { describe, expect, it } from "vitest";
import type { ChatMessage } from "../forms/completion.ts";
import { toPrompt } from "./to-prompt.ts";

const form = { imageAddresses: "any", system: "anywhere", toolCallId: /^/ } as const;
const user = (part: object) => [{ role: "user", content: [part] }];

describe("toPrompt", () => {
  it("passes the address of an image on without fetching it", () => {
    const image = { type: "image_url", image_url: { url: "https://example.com/a.png", detail: "low" } };
    expect(toPrompt(user(image), "acme", form)).toEqual([
      {
        role: "user",
        content: [
          { type: "file", mediaType: "image/png", data: { type: "url", url: new URL("https://example.com/a.png") } },
        ],
      },
    ]);
  });

  it.each([
    ["https://example.com/a.JPG?size=2.gif", "image/jpeg"],
    ["https://example.com/images/17", "image/*"],
    ["https://example.com/a.constructor", "image/*"],
  ])("takes the type of the image %s from its extension", (url, mediaType) => {
    const image = { type: "image_url", image_url: { url } };
    expect(toPrompt(user(image), "acme", form)).toMatchObject([{ content: [{ mediaType }] }]);
  });

  it.each([
    ["typed", "has an image_url whose type is not known: its path must end in one of avif, bmp, "],
    ["none", "has an image_url with an address; send the image as a data URL"],
  ] as const)("refuses an address for an API that accepts %s", (imageAddresses, problem) => {
    const image = { type: "image_url", image_url: { url: "https://example.com/images/17" } };
    const refused = () => toPrompt(user(image), "acme", { ...form, imageAddresses });
    expect(refused).toThrow(`acme does not accept this request: message 1 ${problem}`);
  });

  it("joins later system messages to the first, in order, for an API that has one instruction", () => {
    const messages = ["system", "user", "developer", "assistant", "system"].map((role, index) => ({
      role,
      content: String(index),
    }));
    const prompt = toPrompt(messages, "acme", { ...form, system: "first" });
    expect(prompt.map(({ role }) => role)).toEqual(["system", "system", "system", "user", "assistant"]);
    expect(prompt.slice(0, 3).map(({ content }) => content)).toEqual(["0", "2", "4"]);
    expect(toPrompt(messages, "acme", form).map(({ role }) => role)).toEqual([
      "system",
      "user",
      "system",
      "assistant",
      "system",
    ]);
  });

  it("leaves out texts of white space only, which Anthropic and Bedrock refuse as they do empty ones", () => {
    const hello = { role: "user", content: "Hello" };
    const blank = { role: "assistant", content: " \n\n" };
    const blankPart = [
      { type: "text", text: " " },
      { type: "text", text: "Hi" },
    ];
    const spaced = { role: "user", content: blankPart };
    expect(toPrompt([hello, blank, spaced], "acme", form)).toEqual([
      { role: "user", content: [{ type: "text", text: "Hello" }] },
      { role: "user", content: [{ type: "text", text: "Hi" }] },
    ]);
    // The text so far of a stream that another target continues.
    expect(toPrompt([hello, blank], "acme", form)).toHaveLength(1);
    expect(() => toPrompt([{ role: "user", content: " " }], "acme", form)).toThrow("message 1 has no content");
  });

  it("accepts audio and files", () => {
    const audio = { type: "input_audio", input_audio: { data: "AAAA", format: "mp3" } };
    const file = { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0=" } };
    expect(toPrompt([...user(audio), ...user(file)], "acme", form)).toMatchObject([
      { content: [{ mediaType: "audio/mpeg", data: { type: "data", data: "AAAA" } }] },
      { content: [{ mediaType: "application/pdf", filename: "a.pdf", data: { type: "data", data: "JVBERi0=" } }] },
    ]);
  });

  it.each([
    ["an empty answer", { role: "assistant", content: "" }],
    ["an answer of null", { role: "assistant", content: null }],
    ["an answer of an empty part", { role: "assistant", content: [{ type: "text", text: "" }] }],
    ["an empty question", { role: "user", content: "" }],
    ["a question without parts", { role: "user", content: [] }],
    ["an empty instruction", { role: "system", content: "" }],
  ])("leaves out %s, which providers refuse", (_what, message) => {
    const messages = [{ role: "user", content: "a" }, message, { role: "user", content: "b" }];
    expect(toPrompt(messages, "acme", form)).toMatchObject([
      { role: "user", content: [{ text: "a" }] },
      { role: "user", content: [{ text: "b" }] },
    ]);
  });

  it("leaves empty parts out", () => {
    const content = ["", "a", ""].map((text) => ({ type: "text", text }));
    expect(toPrompt([{ role: "user", content }], "acme", form)).toEqual([
      { role: "user", content: [{ type: "text", text: "a" }] },
    ]);
  });

  it("refuses an empty message at the end, since nothing is asked", () => {
    const messages = [
      { role: "user", content: "a" },
      { role: "assistant", content: "b" },
      { role: "user", content: "" },
    ];
    expect(() => toPrompt(messages, "acme", form)).toThrow(
      "acme does not accept this request: message 3 has no content",
    );
  });

  const call = (id: string, name: string) => ({ id, type: "function", function: { name, arguments: "{}" } });
  const result = (id: string, content: unknown) => ({ role: "tool", tool_call_id: id, content });
  const answers = (content: readonly { toolCallId: string; toolName: string; output: unknown }[]) =>
    content.map(({ toolCallId, toolName, output }) => [toolCallId, toolName, (output as { value: unknown }).value]);
  const resultsOf = (messages: readonly ChatMessage[]) =>
    toPrompt(messages, "acme", form).map((message) =>
      message.role === "tool" ? answers(message.content as Parameters<typeof answers>[0]) : message.role,
    );

  it("joins the results of a message's calls, in the order of the calls, each named by its call", () => {
    const messages = [
      { role: "assistant", content: "wait", tool_calls: [call("1", "a"), call("2", "b")] },
      result("2", [{ type: "text", text: "two" }]),
      { role: "user", content: "Hurry" },
      result("1", "one"),
    ];
    expect(resultsOf(messages)).toEqual([
      "assistant",
      [
        ["1", "a", "one"],
        ["2", "b", "two"],
      ],
      "user",
    ]);
  });

  it("gives a result to the latest message that has its call", () => {
    const turn = (name: string) => ({ role: "assistant", tool_calls: [call("1", name)] });
    expect(resultsOf([turn("a"), result("1", "one"), turn("b"), result("1", "two")])).toEqual([
      "assistant",
      [["1", "a", "one"]],
      "assistant",
      [[expect.not.stringMatching(/^1$/), "b", "two"]],
    ]);
  });

  it("gives results in order to calls of a message that have one id", () => {
    const calls = { role: "assistant", tool_calls: [call("", "a"), call("", "b")] };
    expect(resultsOf([calls, result("", "one"), result("", "two"), result("", "three")])).toEqual([
      "assistant",
      [
        ["", "a", "one"],
        [expect.stringMatching(/./), "b", "two"],
        [expect.stringMatching(/./), "b", "three"],
      ],
    ]);
  });

  it("refuses the result of a call that no earlier message has", () => {
    const messages = [result("1", "one"), { role: "assistant", tool_calls: [call("1", "a")] }];
    expect(() => toPrompt(messages, "acme", form)).toThrow(
      "acme does not accept this request: message 1 answers a tool call that no earlier message has",
    );
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
    expect(() => toPrompt(user(part), "acme", form)).toThrow(`acme does not accept this request: message 1 ${problem}`);
  });
});
