import type { CallToolResult, Tool } from "@modelcontextprotocol/sdk/types.js";

export interface FixtureTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Tool["inputSchema"];
  readonly content: CallToolResult["content"];
  readonly isError?: boolean;
}

const noArguments = { type: "object", properties: {} } as const;
const onePixelPng = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const silentWav = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";

const image = { type: "image", data: onePixelPng, mimeType: "image/png" } as const;

/** The tools that the conformance suite calls, under the names that it has for them. */
export const fixtureTools: readonly FixtureTool[] = [
  {
    name: "test_simple_text",
    description: "Returns a text.",
    inputSchema: noArguments,
    content: [{ type: "text", text: "This is a simple text response for testing." }],
  },
  { name: "test_image_content", description: "Returns an image.", inputSchema: noArguments, content: [image] },
  {
    name: "test_audio_content",
    description: "Returns a sound.",
    inputSchema: noArguments,
    content: [{ type: "audio", data: silentWav, mimeType: "audio/wav" }],
  },
  {
    name: "test_embedded_resource",
    description: "Returns a resource.",
    inputSchema: noArguments,
    content: [
      {
        type: "resource",
        resource: {
          uri: "test://embedded-resource",
          mimeType: "text/plain",
          text: "This is an embedded resource content.",
        },
      },
    ],
  },
  {
    name: "test_multiple_content_types",
    description: "Returns a text, an image and a resource.",
    inputSchema: noArguments,
    content: [
      { type: "text", text: "Multiple content types test:" },
      image,
      {
        type: "resource",
        resource: {
          uri: "test://mixed-content-resource",
          mimeType: "application/json",
          text: '{"test":"data","value":123}',
        },
      },
    ],
  },
  {
    name: "test_error_handling",
    description: "Always fails.",
    inputSchema: noArguments,
    content: [{ type: "text", text: "This tool intentionally returns an error for testing" }],
    isError: true,
  },
  {
    name: "json_schema_2020_12_tool",
    description: "Tool with JSON Schema 2020-12 features",
    inputSchema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      $defs: {
        address: {
          $anchor: "addressDef",
          type: "object",
          properties: { street: { type: "string" }, city: { type: "string" } },
        },
      },
      properties: {
        name: { type: "string" },
        address: { $ref: "#/$defs/address" },
        contactMethod: { type: "string", enum: ["phone", "email"] },
        phone: { type: "string" },
        email: { type: "string" },
      },
      allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
      if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      then: { required: ["phone"] },
      else: { required: ["email"] },
      additionalProperties: false,
    },
    content: [{ type: "text", text: "ok" }],
  },
];
