export { type ControlPlaneDependencies, createControlPlaneService } from "./app.ts";
export { type ControlPlaneConfig, type ControlPlaneMemberConfig, readControlPlaneConfig } from "./config.ts";
export { controlPlaneProgram } from "./program.ts";
