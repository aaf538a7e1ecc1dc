export { createLogbookService, type LogbookOverrides } from "./app.ts";
export { checkpointPurpose, type LogbookConfig, readLogbookConfig } from "./config.ts";
export { logbookProgram } from "./program.ts";
