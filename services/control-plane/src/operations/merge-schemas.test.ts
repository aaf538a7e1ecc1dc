import { expect, test } from "vitest";
import { mergeSchemas } from "./merge-schemas.ts";

const project = { type: "string", description: "A project." };
const chat = {
  projectTypes: ["ai_gateway", "ai_wrapper"],
  inputSchema: {
    type: "object",
    properties: {
      project,
      targets: { type: "array", description: "Where calls go." },
      timeout_ms: { type: "integer", description: "Of an attempt.", maximum: 5 },
      note: { type: "string", description: "For models.", maxLength: 9 },
    },
    required: ["project", "targets"],
  },
};
const proxy = {
  projectTypes: ["api_gateway"],
  inputSchema: {
    type: "object",
    properties: {
      project,
      timeout_ms: { type: ["integer", "null"], description: "Of a reply.", maximum: 7 },
      note: { type: "string", description: "For people.", maxLength: 9 },
    },
    required: ["project"],
  },
};

test("arguments say which projects they are for, and keep the bounds that their owners share", () => {
  expect(mergeSchemas([chat, proxy])).toEqual({
    type: "object",
    properties: {
      project,
      targets: { type: "array", description: "In ai_gateway and ai_wrapper projects, required: Where calls go." },
      timeout_ms: {
        type: ["integer", "null"],
        description: "In ai_gateway and ai_wrapper projects: Of an attempt. In api_gateway projects: Of a reply.",
      },
      note: {
        type: "string",
        maxLength: 9,
        description: "In ai_gateway and ai_wrapper projects: For models. In api_gateway projects: For people.",
      },
    },
    required: ["project"],
    additionalProperties: false,
  });
});
