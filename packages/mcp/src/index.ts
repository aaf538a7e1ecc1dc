export { createMcpFace, type McpExchange, type McpFaceOptions } from "./face.ts";
export { createProjectMcpFace, type McpCaller, type ProjectMcpFaceOptions } from "./project-face.ts";
export {
  createRecordOutcome,
  messageOf,
  nameOfTool,
  type RecordOutcome,
  recordRequests,
  type RequestOutcome,
} from "./request-outcome.ts";
